/**
 * Memory heaps, allocations and buffers.
 * Layouts are those of the Vulkan registry (vulkan_core.h).
 */
import { struct } from "../layout.ts";
import { array, ptr, u32, u64 } from "../types.ts";

/** `VkMemoryType`. */
export const MemoryType = struct("VkMemoryType", { propertyFlags: u32, heapIndex: u32 });

/** `VkMemoryHeap`. */
export const MemoryHeap = struct("VkMemoryHeap", { size: u64, flags: u32 });

/** `VkPhysicalDeviceMemoryProperties`. */
export const PhysicalDeviceMemoryProperties = struct("VkPhysicalDeviceMemoryProperties", {
  memoryTypeCount: u32,
  memoryTypes: array(MemoryType, 32),
  memoryHeapCount: u32,
  memoryHeaps: array(MemoryHeap, 16),
});

/** `VkPhysicalDeviceMemoryProperties2`. */
export const PhysicalDeviceMemoryProperties2 = struct("VkPhysicalDeviceMemoryProperties2", {
  sType: u32,
  pNext: ptr,
  memoryProperties: PhysicalDeviceMemoryProperties,
}, { sType: 1000059006 });

/** `VkPhysicalDeviceMemoryBudgetPropertiesEXT`. */
export const PhysicalDeviceMemoryBudgetPropertiesEXT = struct("VkPhysicalDeviceMemoryBudgetPropertiesEXT", {
  sType: u32,
  pNext: ptr,
  heapBudget: array(u64, 16),
  heapUsage: array(u64, 16),
}, { sType: 1000237000 });

/** `VkMemoryRequirements`. */
export const MemoryRequirements = struct("VkMemoryRequirements", {
  size: u64,
  alignment: u64,
  memoryTypeBits: u32,
});

/** `VkMemoryAllocateInfo`. */
export const MemoryAllocateInfo = struct("VkMemoryAllocateInfo", {
  sType: u32,
  pNext: ptr,
  allocationSize: u64,
  memoryTypeIndex: u32,
}, { sType: 5 });

/** `VkMemoryAllocateFlagsInfo`. */
export const MemoryAllocateFlagsInfo = struct("VkMemoryAllocateFlagsInfo", {
  sType: u32,
  pNext: ptr,
  flags: u32,
  deviceMask: u32,
}, { sType: 1000060000 });

/** `VkBufferCreateInfo`. */
export const BufferCreateInfo = struct("VkBufferCreateInfo", {
  sType: u32,
  pNext: ptr,
  flags: u32,
  size: u64,
  usage: u32,
  sharingMode: u32,
  queueFamilyIndexCount: u32,
  pQueueFamilyIndices: ptr,
}, { sType: 12 });

/** `VkBufferDeviceAddressInfo`. */
export const BufferDeviceAddressInfo = struct("VkBufferDeviceAddressInfo", {
  sType: u32,
  pNext: ptr,
  buffer: u64,
}, { sType: 1000244001 });
