/** `vkCreateDevice`: enables the required features, and of the optional ones those that the device reports. */
import { Arena } from "../../ffi/arena.ts";
import { readU64 } from "../../ffi/read.ts";
import { PhysicalDeviceCooperativeMatrixFeaturesKHR } from "../../ffi/structs/cooperative_matrix.ts";
import { DeviceCreateInfo, DeviceQueueCreateInfo } from "../../ffi/structs/device.ts";
import {
  PhysicalDeviceFeatures2,
  PhysicalDevicePipelineExecutablePropertiesFeaturesKHR,
  PhysicalDeviceShaderIntegerDotProductFeatures,
  PhysicalDeviceSubgroupSizeControlFeatures,
  PhysicalDeviceVulkan11Features,
  PhysicalDeviceVulkan12Features,
} from "../../ffi/structs/features.ts";
import type { Adapter } from "./adapter.ts";
import { OPTIONAL_EXTENSIONS } from "./adapter_queries.ts";
import type { DeviceFeatures } from "./features.ts";
import { check } from "./result.ts";

/** Features that a caller may do without although the device has them. */
export type OptionalFeature =
  | "cooperativeMatrix"
  | "shaderIntegerDotProduct"
  | "subgroupSizeControl"
  | "computeFullSubgroups";

/** What to enable. */
export interface EnableOptions {
  without?: OptionalFeature[];
  pipelineStatistics?: boolean;
}

/** A new `VkDevice` and the features enabled on it. */
export interface CreatedDevice {
  /** `VkDevice`. */
  handle: bigint;
  /** Names of the enabled features. */
  enabled: ReadonlySet<keyof DeviceFeatures>;
}

/** Creates the device with one queue of family `queueFamily`. */
export function createLogicalDevice(
  adapter: Adapter,
  queueFamily: number,
  options: EnableOptions,
): CreatedDevice {
  using arena = new Arena();
  const { info, enabled } = describe(adapter, arena, queueFamily, options);
  const handle = arena.alloc(8);
  check(adapter.instance.vk.vkCreateDevice(adapter.handle, info, null, handle), opening(adapter));
  return { handle: readU64(handle), enabled };
}

/** The same on a thread. */
export async function createLogicalDeviceAside(
  adapter: Adapter,
  queueFamily: number,
  options: EnableOptions,
): Promise<CreatedDevice> {
  using arena = new Arena();
  const { info, enabled } = describe(adapter, arena, queueFamily, options);
  const handle = arena.alloc(8);
  check(
    await adapter.instance.vk.vkCreateDeviceAsync(adapter.handle, info, null, handle),
    opening(adapter),
  );
  return { handle: readU64(handle), enabled };
}

function opening({ name }: Adapter): string {
  return `open device "${name}"`;
}

/** A `VkDeviceCreateInfo` in `arena`, and what it enables. */
function describe(
  adapter: Adapter,
  arena: Arena,
  queueFamily: number,
  options: EnableOptions,
): { info: Uint8Array; enabled: ReadonlySet<keyof DeviceFeatures> } {
  const enabled = enabledFeatures(adapter.features, options);
  const on = (name: keyof DeviceFeatures) => enabled.has(name);
  const extensions = adapter.optionalExtensions.filter((name) =>
    (name !== OPTIONAL_EXTENSIONS.cooperativeMatrix || on("cooperativeMatrix")) &&
    (name !== OPTIONAL_EXTENSIONS.pipelineExecutableProperties || on("pipelineExecutableInfo"))
  );
  // Each struct points to the one built before it; absent ones are left out of the chain.
  let chain: Uint8Array | null = null;
  if (on("cooperativeMatrix")) {
    chain = arena.struct(PhysicalDeviceCooperativeMatrixFeaturesKHR, {
      pNext: chain,
      cooperativeMatrix: true,
    });
  }
  if (on("pipelineExecutableInfo")) {
    chain = arena.struct(PhysicalDevicePipelineExecutablePropertiesFeaturesKHR, {
      pNext: chain,
      pipelineExecutableInfo: true,
    });
  }
  if (on("shaderIntegerDotProduct")) {
    chain = arena.struct(PhysicalDeviceShaderIntegerDotProductFeatures, {
      pNext: chain,
      shaderIntegerDotProduct: true,
    });
  }
  if (on("subgroupSizeControl") || on("computeFullSubgroups")) {
    chain = arena.struct(PhysicalDeviceSubgroupSizeControlFeatures, {
      pNext: chain,
      subgroupSizeControl: on("subgroupSizeControl"),
      computeFullSubgroups: on("computeFullSubgroups"),
    });
  }
  chain = arena.struct(PhysicalDeviceVulkan12Features, {
    pNext: chain,
    storageBuffer8BitAccess: true,
    shaderFloat16: true,
    shaderInt8: true,
    scalarBlockLayout: true,
    timelineSemaphore: true,
    bufferDeviceAddress: true,
    shaderSubgroupExtendedTypes: on("shaderSubgroupExtendedTypes"),
    vulkanMemoryModel: on("vulkanMemoryModel"),
    vulkanMemoryModelDeviceScope: on("vulkanMemoryModelDeviceScope"),
  });
  chain = arena.struct(PhysicalDeviceVulkan11Features, { pNext: chain, storageBuffer16BitAccess: true });
  chain = arena.struct(PhysicalDeviceFeatures2, {
    pNext: chain,
    features: { shaderInt64: true, shaderInt16: on("shaderInt16") },
  });
  const info = arena.struct(DeviceCreateInfo, {
    pNext: chain,
    queueCreateInfoCount: 1,
    pQueueCreateInfos: arena.struct(DeviceQueueCreateInfo, {
      queueFamilyIndex: queueFamily,
      queueCount: 1,
      pQueuePriorities: new Uint8Array(new Float32Array([1]).buffer),
    }),
    enabledExtensionCount: extensions.length,
    ppEnabledExtensionNames: arena.strings(extensions),
  });
  return { info, enabled };
}

function enabledFeatures(
  reported: DeviceFeatures,
  options: EnableOptions,
): Set<keyof DeviceFeatures> {
  const names = Object.keys(reported) as (keyof DeviceFeatures)[];
  const enabled = new Set(names.filter((name) => reported[name]));
  for (const name of options.without ?? []) enabled.delete(name);
  if (!options.pipelineStatistics) enabled.delete("pipelineExecutableInfo");
  // Cooperative matrices are defined in terms of the Vulkan memory model.
  if (!enabled.has("vulkanMemoryModel")) enabled.delete("cooperativeMatrix");
  return enabled;
}
