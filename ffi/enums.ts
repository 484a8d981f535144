/** The values of Vulkan's enums and flags that zinc uses (vulkan_core.h), without their `VK_` prefixes. */

/** `VkResult`. */
export const RESULT = {
  SUCCESS: 0,
  NOT_READY: 1,
  TIMEOUT: 2,
  INCOMPLETE: 5,
  ERROR_OUT_OF_HOST_MEMORY: -1,
  ERROR_OUT_OF_DEVICE_MEMORY: -2,
  ERROR_INITIALIZATION_FAILED: -3,
  ERROR_DEVICE_LOST: -4,
  ERROR_MEMORY_MAP_FAILED: -5,
  ERROR_LAYER_NOT_PRESENT: -6,
  ERROR_EXTENSION_NOT_PRESENT: -7,
  ERROR_FEATURE_NOT_PRESENT: -8,
  ERROR_INCOMPATIBLE_DRIVER: -9,
  ERROR_TOO_MANY_OBJECTS: -10,
  ERROR_FRAGMENTATION: -1000161000,
} as const;

/** The registry's name of a `VkResult`, or its number. */
export function resultName(result: number): string {
  const name = Object.entries(RESULT).find(([, value]) => value === result)?.[0];
  return name ?? `VkResult ${result}`;
}

/** `VkPhysicalDeviceType`, in the registry's order. */
export const PHYSICAL_DEVICE_TYPES = ["other", "integrated", "discrete", "virtual", "cpu"] as const;

/** `VkInstanceCreateFlagBits`. */
export const INSTANCE_CREATE = { ENUMERATE_PORTABILITY: 1 } as const;

/** `VkDriverId`: the drivers that zinc tells apart. */
export const DRIVER_ID = {
  AMD_PROPRIETARY: 1,
  AMD_OPEN_SOURCE: 2,
  MESA_RADV: 3,
  NVIDIA_PROPRIETARY: 4,
} as const;

/** `VkQueueFlagBits`. */
export const QUEUE = { GRAPHICS: 1, COMPUTE: 2, TRANSFER: 4 } as const;

/** `VkMemoryPropertyFlagBits`. */
export const MEMORY_PROPERTY = {
  DEVICE_LOCAL: 1,
  HOST_VISIBLE: 2,
  HOST_COHERENT: 4,
  HOST_CACHED: 8,
} as const;

/** `VkMemoryHeapFlagBits`. */
export const MEMORY_HEAP = { DEVICE_LOCAL: 1 } as const;

/** `VkMemoryAllocateFlagBits`. */
export const MEMORY_ALLOCATE = { DEVICE_ADDRESS: 2 } as const;

/** `VkBufferUsageFlagBits`. */
export const BUFFER_USAGE = {
  TRANSFER_SRC: 0x1,
  TRANSFER_DST: 0x2,
  STORAGE_BUFFER: 0x20,
  SHADER_DEVICE_ADDRESS: 0x20000,
} as const;

/** `VkShaderStageFlagBits`. */
export const SHADER_STAGE = { COMPUTE: 0x20 } as const;

/** `VkPipelineShaderStageCreateFlagBits`. */
export const PIPELINE_SHADER_STAGE_CREATE = { REQUIRE_FULL_SUBGROUPS: 2 } as const;

/** `VkPipelineCreateFlagBits`. */
export const PIPELINE_CREATE = {
  CAPTURE_STATISTICS_KHR: 0x40,
  CAPTURE_INTERNAL_REPRESENTATIONS_KHR: 0x80,
} as const;

/** `VkPipelineExecutableStatisticFormatKHR`, in the registry's order. */
export const PIPELINE_STATISTIC_FORMATS = ["bool32", "int64", "uint64", "float64"] as const;

/** `VkSubgroupFeatureFlagBits`. */
export const SUBGROUP_FEATURE = { BASIC: 1, VOTE: 2, ARITHMETIC: 4, BALLOT: 8, SHUFFLE: 16 } as const;

/** `VkPipelineStageFlagBits`. */
export const PIPELINE_STAGE = {
  COMPUTE_SHADER: 0x800,
  TRANSFER: 0x1000,
  BOTTOM_OF_PIPE: 0x2000,
  HOST: 0x4000,
} as const;

/** `VkAccessFlagBits`. */
export const ACCESS = {
  SHADER_READ: 0x20,
  SHADER_WRITE: 0x40,
  TRANSFER_READ: 0x800,
  TRANSFER_WRITE: 0x1000,
  HOST_READ: 0x2000,
  HOST_WRITE: 0x4000,
} as const;

/** `VkPipelineBindPoint`. */
export const PIPELINE_BIND_POINT = { COMPUTE: 1 } as const;

/** `VkCommandBufferUsageFlagBits`. */
export const COMMAND_BUFFER_USAGE = { SIMULTANEOUS_USE: 4 } as const;

/** `VkSemaphoreType`. */
export const SEMAPHORE_TYPE = { TIMELINE: 1 } as const;

/** `VkQueryType`. */
export const QUERY_TYPE = { TIMESTAMP: 2 } as const;

/** `VkQueryResultFlagBits`. */
export const QUERY_RESULT = { U64: 1, WAIT: 2 } as const;

/** `VkComponentTypeKHR`, in the registry's order. */
export const COMPONENT_TYPES = [
  "f16",
  "f32",
  "f64",
  "i8",
  "i16",
  "i32",
  "i64",
  "u8",
  "u16",
  "u32",
  "u64",
] as const;

/** `VkScopeKHR`. */
export const SCOPE = { DEVICE: 1, WORKGROUP: 2, SUBGROUP: 3, QUEUE_FAMILY: 5 } as const;

/** `VK_WHOLE_SIZE`. */
export const WHOLE_SIZE = 2n ** 64n - 1n;

/** `VK_MAKE_API_VERSION(0, major, minor, 0)`. */
export function apiVersion(major: number, minor: number): number {
  return major * 2 ** 22 + minor * 2 ** 12;
}

/** `"1.3.230"` for a packed API version. */
export function versionText(version: number): string {
  return `${(version >>> 22) & 127}.${(version >>> 12) & 1023}.${version & 4095}`;
}
