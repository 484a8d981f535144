/**
 * What zinc needs from a device, and what it uses when it is there. The floor is Vulkan 1.2 with the features of
 * `REQUIRED`; the rest is enabled only when reported.
 */
import { SUBGROUP_FEATURE } from "../../ffi/enums.ts";

/** The features that matter here, under the registry's names. */
export interface DeviceFeatures {
  /** 64-bit addresses of buffers in shaders. */
  bufferDeviceAddress: boolean;
  /** Structs without padding to 16 bytes. */
  scalarBlockLayout: boolean;
  /** 8-bit loads and stores. */
  storageBuffer8BitAccess: boolean;
  /** 16-bit loads and stores. */
  storageBuffer16BitAccess: boolean;
  /** 8-bit arithmetic. */
  shaderInt8: boolean;
  /** 16-bit float arithmetic. */
  shaderFloat16: boolean;
  /** 64-bit integers. */
  shaderInt64: boolean;
  /** Semaphores that count. */
  timelineSemaphore: boolean;
  /** 16-bit integer arithmetic (optional). */
  shaderInt16: boolean;
  /** Subgroup operations on 8-, 16- and 64-bit types (optional). */
  shaderSubgroupExtendedTypes: boolean;
  /** The Vulkan memory model, which cooperative matrices need (optional). */
  vulkanMemoryModel: boolean;
  /** Device scope in that model (optional). */
  vulkanMemoryModelDeviceScope: boolean;
  /** A pipeline may ask for its subgroup size (optional). */
  subgroupSizeControl: boolean;
  /** A pipeline may ask for subgroups without idle lanes (optional). */
  computeFullSubgroups: boolean;
  /** Dot products of packed integers (optional). */
  shaderIntegerDotProduct: boolean;
  /** Matrix tiles in hardware (optional). */
  cooperativeMatrix: boolean;
  /** Compiler statistics of pipelines (optional). */
  pipelineExecutableInfo: boolean;
}

/** What {@linkcode missingFeatures} looks at. */
export interface FeatureSupport {
  /** Reported features. */
  features: DeviceFeatures;
  /** `VkSubgroupFeatureFlags` of compute shaders; 0 when compute has no subgroup operations. */
  subgroupOperations: number;
  /** Push constant bytes; the Vulkan minimum is 128. */
  maxPushConstantsSize: number;
}

const REQUIRED: (keyof DeviceFeatures)[] = [
  "bufferDeviceAddress",
  "scalarBlockLayout",
  "storageBuffer8BitAccess",
  "storageBuffer16BitAccess",
  "shaderInt8",
  "shaderFloat16",
  "shaderInt64",
  "timelineSemaphore",
];

/** Most bytes of push constants that a kernel may have: what every Vulkan device offers. */
export const MAX_PUSH_BYTES = 128;

/** The names of the required features that are not there; empty when the device can run zinc. */
export function missingFeatures(support: FeatureSupport): string[] {
  const missing: string[] = REQUIRED.filter((name) => !support.features[name]);
  if (!(support.subgroupOperations & SUBGROUP_FEATURE.ARITHMETIC)) missing.push("subgroup arithmetic");
  if (!(support.subgroupOperations & SUBGROUP_FEATURE.SHUFFLE)) missing.push("subgroup shuffle");
  if (support.maxPushConstantsSize < MAX_PUSH_BYTES) {
    missing.push(`${MAX_PUSH_BYTES} bytes of push constants`);
  }
  return missing;
}
