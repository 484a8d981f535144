/**
 * Command buffers, barriers, copies and queries.
 * Layouts are those of the Vulkan registry (vulkan_core.h).
 */
import { struct } from "../layout.ts";
import { ptr, u32, u64 } from "../types.ts";

/** `VkCommandPoolCreateInfo`. */
export const CommandPoolCreateInfo = struct("VkCommandPoolCreateInfo", {
  sType: u32,
  pNext: ptr,
  flags: u32,
  queueFamilyIndex: u32,
}, { sType: 39 });

/** `VkCommandBufferAllocateInfo`. */
export const CommandBufferAllocateInfo = struct("VkCommandBufferAllocateInfo", {
  sType: u32,
  pNext: ptr,
  commandPool: u64,
  level: u32,
  commandBufferCount: u32,
}, { sType: 40 });

/** `VkCommandBufferBeginInfo`. */
export const CommandBufferBeginInfo = struct("VkCommandBufferBeginInfo", {
  sType: u32,
  pNext: ptr,
  flags: u32,
  pInheritanceInfo: ptr,
}, { sType: 42 });

/** `VkMemoryBarrier`. */
export const MemoryBarrier = struct("VkMemoryBarrier", {
  sType: u32,
  pNext: ptr,
  srcAccessMask: u32,
  dstAccessMask: u32,
}, { sType: 46 });

/** `VkBufferCopy`. */
export const BufferCopy = struct("VkBufferCopy", { srcOffset: u64, dstOffset: u64, size: u64 });

/** `VkQueryPoolCreateInfo`. */
export const QueryPoolCreateInfo = struct("VkQueryPoolCreateInfo", {
  sType: u32,
  pNext: ptr,
  flags: u32,
  queryType: u32,
  queryCount: u32,
  pipelineStatistics: u32,
}, { sType: 11 });
