/**
 * Features of a physical device: queried before, and enabled at, device creation.
 * Layouts are those of the Vulkan registry (vulkan_core.h).
 */
import { bools, struct } from "../layout.ts";
import { ptr, u32 } from "../types.ts";

/** `VkPhysicalDeviceFeatures`. */
export const PhysicalDeviceFeatures = struct("VkPhysicalDeviceFeatures", {
  ...bools(
    "robustBufferAccess",
    "fullDrawIndexUint32",
    "imageCubeArray",
    "independentBlend",
    "geometryShader",
    "tessellationShader",
    "sampleRateShading",
    "dualSrcBlend",
    "logicOp",
    "multiDrawIndirect",
    "drawIndirectFirstInstance",
    "depthClamp",
    "depthBiasClamp",
    "fillModeNonSolid",
    "depthBounds",
    "wideLines",
    "largePoints",
    "alphaToOne",
    "multiViewport",
    "samplerAnisotropy",
    "textureCompressionETC2",
    "textureCompressionASTC_LDR",
    "textureCompressionBC",
    "occlusionQueryPrecise",
    "pipelineStatisticsQuery",
    "vertexPipelineStoresAndAtomics",
    "fragmentStoresAndAtomics",
    "shaderTessellationAndGeometryPointSize",
    "shaderImageGatherExtended",
    "shaderStorageImageExtendedFormats",
    "shaderStorageImageMultisample",
    "shaderStorageImageReadWithoutFormat",
    "shaderStorageImageWriteWithoutFormat",
    "shaderUniformBufferArrayDynamicIndexing",
    "shaderSampledImageArrayDynamicIndexing",
    "shaderStorageBufferArrayDynamicIndexing",
    "shaderStorageImageArrayDynamicIndexing",
    "shaderClipDistance",
    "shaderCullDistance",
    "shaderFloat64",
    "shaderInt64",
    "shaderInt16",
    "shaderResourceResidency",
    "shaderResourceMinLod",
    "sparseBinding",
    "sparseResidencyBuffer",
    "sparseResidencyImage2D",
    "sparseResidencyImage3D",
    "sparseResidency2Samples",
    "sparseResidency4Samples",
    "sparseResidency8Samples",
    "sparseResidency16Samples",
    "sparseResidencyAliased",
    "variableMultisampleRate",
    "inheritedQueries",
  ),
});

/** `VkPhysicalDeviceFeatures2`. */
export const PhysicalDeviceFeatures2 = struct("VkPhysicalDeviceFeatures2", {
  sType: u32,
  pNext: ptr,
  features: PhysicalDeviceFeatures,
}, { sType: 1000059000 });

/** `VkPhysicalDeviceVulkan11Features`. */
export const PhysicalDeviceVulkan11Features = struct("VkPhysicalDeviceVulkan11Features", {
  sType: u32,
  pNext: ptr,
  ...bools(
    "storageBuffer16BitAccess",
    "uniformAndStorageBuffer16BitAccess",
    "storagePushConstant16",
    "storageInputOutput16",
    "multiview",
    "multiviewGeometryShader",
    "multiviewTessellationShader",
    "variablePointersStorageBuffer",
    "variablePointers",
    "protectedMemory",
    "samplerYcbcrConversion",
    "shaderDrawParameters",
  ),
}, { sType: 49 });

/** `VkPhysicalDeviceVulkan12Features`. */
export const PhysicalDeviceVulkan12Features = struct("VkPhysicalDeviceVulkan12Features", {
  sType: u32,
  pNext: ptr,
  ...bools(
    "samplerMirrorClampToEdge",
    "drawIndirectCount",
    "storageBuffer8BitAccess",
    "uniformAndStorageBuffer8BitAccess",
    "storagePushConstant8",
    "shaderBufferInt64Atomics",
    "shaderSharedInt64Atomics",
    "shaderFloat16",
    "shaderInt8",
    "descriptorIndexing",
    "shaderInputAttachmentArrayDynamicIndexing",
    "shaderUniformTexelBufferArrayDynamicIndexing",
    "shaderStorageTexelBufferArrayDynamicIndexing",
    "shaderUniformBufferArrayNonUniformIndexing",
    "shaderSampledImageArrayNonUniformIndexing",
    "shaderStorageBufferArrayNonUniformIndexing",
    "shaderStorageImageArrayNonUniformIndexing",
    "shaderInputAttachmentArrayNonUniformIndexing",
    "shaderUniformTexelBufferArrayNonUniformIndexing",
    "shaderStorageTexelBufferArrayNonUniformIndexing",
    "descriptorBindingUniformBufferUpdateAfterBind",
    "descriptorBindingSampledImageUpdateAfterBind",
    "descriptorBindingStorageImageUpdateAfterBind",
    "descriptorBindingStorageBufferUpdateAfterBind",
    "descriptorBindingUniformTexelBufferUpdateAfterBind",
    "descriptorBindingStorageTexelBufferUpdateAfterBind",
    "descriptorBindingUpdateUnusedWhilePending",
    "descriptorBindingPartiallyBound",
    "descriptorBindingVariableDescriptorCount",
    "runtimeDescriptorArray",
    "samplerFilterMinmax",
    "scalarBlockLayout",
    "imagelessFramebuffer",
    "uniformBufferStandardLayout",
    "shaderSubgroupExtendedTypes",
    "separateDepthStencilLayouts",
    "hostQueryReset",
    "timelineSemaphore",
    "bufferDeviceAddress",
    "bufferDeviceAddressCaptureReplay",
    "bufferDeviceAddressMultiDevice",
    "vulkanMemoryModel",
    "vulkanMemoryModelDeviceScope",
    "vulkanMemoryModelAvailabilityVisibilityChains",
    "shaderOutputViewportIndex",
    "shaderOutputLayer",
    "subgroupBroadcastDynamicId",
  ),
}, { sType: 51 });

/** `VkPhysicalDeviceSubgroupSizeControlFeatures`. */
export const PhysicalDeviceSubgroupSizeControlFeatures = struct(
  "VkPhysicalDeviceSubgroupSizeControlFeatures",
  { sType: u32, pNext: ptr, ...bools("subgroupSizeControl", "computeFullSubgroups") },
  { sType: 1000225002 },
);

/** `VkPhysicalDeviceShaderIntegerDotProductFeatures`. */
export const PhysicalDeviceShaderIntegerDotProductFeatures = struct(
  "VkPhysicalDeviceShaderIntegerDotProductFeatures",
  { sType: u32, pNext: ptr, ...bools("shaderIntegerDotProduct") },
  { sType: 1000280000 },
);

/** `VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR`. */
export const PhysicalDevicePipelineExecutablePropertiesFeaturesKHR = struct(
  "VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR",
  { sType: u32, pNext: ptr, ...bools("pipelineExecutableInfo") },
  { sType: 1000269000 },
);
