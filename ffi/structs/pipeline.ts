/**
 * Compute pipelines, their layouts, specialization and cache, and what the compiler made of them.
 * Layouts are those of the Vulkan registry (vulkan_core.h).
 */
import { bools, struct } from "../layout.ts";
import { chars, i32, ptr, u32, u64 } from "../types.ts";

/** `VkShaderModuleCreateInfo`. */
export const ShaderModuleCreateInfo = struct("VkShaderModuleCreateInfo", {
  sType: u32,
  pNext: ptr,
  flags: u32,
  codeSize: u64,
  pCode: ptr,
}, { sType: 16 });

/** `VkPushConstantRange`. */
export const PushConstantRange = struct("VkPushConstantRange", { stageFlags: u32, offset: u32, size: u32 });

/** `VkPipelineLayoutCreateInfo`. */
export const PipelineLayoutCreateInfo = struct("VkPipelineLayoutCreateInfo", {
  sType: u32,
  pNext: ptr,
  flags: u32,
  setLayoutCount: u32,
  pSetLayouts: ptr,
  pushConstantRangeCount: u32,
  pPushConstantRanges: ptr,
}, { sType: 30 });

/** `VkSpecializationMapEntry`. */
export const SpecializationMapEntry = struct("VkSpecializationMapEntry", {
  constantID: u32,
  offset: u32,
  size: u64,
});

/** `VkSpecializationInfo`. */
export const SpecializationInfo = struct("VkSpecializationInfo", {
  mapEntryCount: u32,
  pMapEntries: ptr,
  dataSize: u64,
  pData: ptr,
});

/** `VkPipelineShaderStageCreateInfo`. */
export const PipelineShaderStageCreateInfo = struct("VkPipelineShaderStageCreateInfo", {
  sType: u32,
  pNext: ptr,
  flags: u32,
  stage: u32,
  module: u64,
  pName: ptr,
  pSpecializationInfo: ptr,
}, { sType: 18 });

/** `VkPipelineShaderStageRequiredSubgroupSizeCreateInfo`. */
export const PipelineShaderStageRequiredSubgroupSizeCreateInfo = struct(
  "VkPipelineShaderStageRequiredSubgroupSizeCreateInfo",
  { sType: u32, pNext: ptr, requiredSubgroupSize: u32 },
  { sType: 1000225001 },
);

/** `VkComputePipelineCreateInfo`. */
export const ComputePipelineCreateInfo = struct("VkComputePipelineCreateInfo", {
  sType: u32,
  pNext: ptr,
  flags: u32,
  stage: PipelineShaderStageCreateInfo,
  layout: u64,
  basePipelineHandle: u64,
  basePipelineIndex: i32,
}, { sType: 29 });

/** `VkPipelineCacheCreateInfo`. */
export const PipelineCacheCreateInfo = struct("VkPipelineCacheCreateInfo", {
  sType: u32,
  pNext: ptr,
  flags: u32,
  initialDataSize: u64,
  pInitialData: ptr,
}, { sType: 17 });

/** `VkPipelineInfoKHR`. */
export const PipelineInfoKHR = struct("VkPipelineInfoKHR", { sType: u32, pNext: ptr, pipeline: u64 }, {
  sType: 1000269001,
});

/** `VkPipelineExecutablePropertiesKHR`. */
export const PipelineExecutablePropertiesKHR = struct("VkPipelineExecutablePropertiesKHR", {
  sType: u32,
  pNext: ptr,
  stages: u32,
  name: chars(256),
  description: chars(256),
  subgroupSize: u32,
}, { sType: 1000269002 });

/** `VkPipelineExecutableInfoKHR`. */
export const PipelineExecutableInfoKHR = struct("VkPipelineExecutableInfoKHR", {
  sType: u32,
  pNext: ptr,
  pipeline: u64,
  executableIndex: u32,
}, { sType: 1000269003 });

/** `VkPipelineExecutableStatisticKHR`. `value` is a union; its raw 64 bits are interpreted by `format`. */
export const PipelineExecutableStatisticKHR = struct("VkPipelineExecutableStatisticKHR", {
  sType: u32,
  pNext: ptr,
  name: chars(256),
  description: chars(256),
  format: u32,
  value: u64,
}, { sType: 1000269004 });

/** `VkPipelineExecutableInternalRepresentationKHR`. With `pData` NULL the driver says how long the data is. */
export const PipelineExecutableInternalRepresentationKHR = struct(
  "VkPipelineExecutableInternalRepresentationKHR",
  {
    sType: u32,
    pNext: ptr,
    name: chars(256),
    description: chars(256),
    ...bools("isText"),
    dataSize: u64,
    pData: ptr,
  },
  { sType: 1000269005 },
);
