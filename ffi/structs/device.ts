/**
 * Logical device, queue submission and timeline semaphores.
 * Layouts are those of the Vulkan registry (vulkan_core.h).
 */
import { struct } from "../layout.ts";
import { ptr, u32, u64 } from "../types.ts";

/** `VkDeviceQueueCreateInfo`. */
export const DeviceQueueCreateInfo = struct("VkDeviceQueueCreateInfo", {
  sType: u32,
  pNext: ptr,
  flags: u32,
  queueFamilyIndex: u32,
  queueCount: u32,
  pQueuePriorities: ptr,
}, { sType: 2 });

/** `VkDeviceCreateInfo`. */
export const DeviceCreateInfo = struct("VkDeviceCreateInfo", {
  sType: u32,
  pNext: ptr,
  flags: u32,
  queueCreateInfoCount: u32,
  pQueueCreateInfos: ptr,
  enabledLayerCount: u32,
  ppEnabledLayerNames: ptr,
  enabledExtensionCount: u32,
  ppEnabledExtensionNames: ptr,
  pEnabledFeatures: ptr,
}, { sType: 3 });

/** `VkSemaphoreTypeCreateInfo`. */
export const SemaphoreTypeCreateInfo = struct("VkSemaphoreTypeCreateInfo", {
  sType: u32,
  pNext: ptr,
  semaphoreType: u32,
  initialValue: u64,
}, { sType: 1000207002 });

/** `VkSemaphoreCreateInfo`. */
export const SemaphoreCreateInfo = struct("VkSemaphoreCreateInfo", { sType: u32, pNext: ptr, flags: u32 }, {
  sType: 9,
});

/** `VkTimelineSemaphoreSubmitInfo`. */
export const TimelineSemaphoreSubmitInfo = struct("VkTimelineSemaphoreSubmitInfo", {
  sType: u32,
  pNext: ptr,
  waitSemaphoreValueCount: u32,
  pWaitSemaphoreValues: ptr,
  signalSemaphoreValueCount: u32,
  pSignalSemaphoreValues: ptr,
}, { sType: 1000207003 });

/** `VkSubmitInfo`. */
export const SubmitInfo = struct("VkSubmitInfo", {
  sType: u32,
  pNext: ptr,
  waitSemaphoreCount: u32,
  pWaitSemaphores: ptr,
  pWaitDstStageMask: ptr,
  commandBufferCount: u32,
  pCommandBuffers: ptr,
  signalSemaphoreCount: u32,
  pSignalSemaphores: ptr,
}, { sType: 4 });

/** `VkSemaphoreWaitInfo`. */
export const SemaphoreWaitInfo = struct("VkSemaphoreWaitInfo", {
  sType: u32,
  pNext: ptr,
  flags: u32,
  semaphoreCount: u32,
  pSemaphores: ptr,
  pValues: ptr,
}, { sType: 1000207004 });
