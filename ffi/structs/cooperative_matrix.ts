/**
 * VK_KHR_cooperative_matrix: which matrix tile shapes a device multiplies in hardware.
 * Layouts are those of the Vulkan registry (vulkan_core.h 1.3.255 and later).
 */
import { bools, struct } from "../layout.ts";
import { ptr, u32 } from "../types.ts";

/** `VkPhysicalDeviceCooperativeMatrixFeaturesKHR`. */
export const PhysicalDeviceCooperativeMatrixFeaturesKHR = struct(
  "VkPhysicalDeviceCooperativeMatrixFeaturesKHR",
  {
    sType: u32,
    pNext: ptr,
    ...bools("cooperativeMatrix", "cooperativeMatrixRobustBufferAccess"),
  },
  { sType: 1000506000 },
);

/** `VkCooperativeMatrixPropertiesKHR`: A is MSize x KSize, B is KSize x NSize, C and the result are MSize x NSize. */
export const CooperativeMatrixPropertiesKHR = struct("VkCooperativeMatrixPropertiesKHR", {
  sType: u32,
  pNext: ptr,
  MSize: u32,
  NSize: u32,
  KSize: u32,
  AType: u32,
  BType: u32,
  CType: u32,
  ResultType: u32,
  ...bools("saturatingAccumulation"),
  scope: u32,
}, { sType: 1000506001 });
