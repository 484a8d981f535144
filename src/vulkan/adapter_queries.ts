/** The queries behind an adapter: each asks the driver once and returns plain data. */
import { Arena } from "../../ffi/arena.ts";
import { apiVersion, MEMORY_HEAP } from "../../ffi/enums.ts";
import { extensionFunction, type VulkanFunctions } from "../../ffi/functions.ts";
import type { Fields, StructLayout, StructOutput } from "../../ffi/layout.ts";
import { enumerate, readStruct, readStructs, readU32 } from "../../ffi/read.ts";
import * as CoopmatStructs from "../../ffi/structs/cooperative_matrix.ts";
import * as FeatureStructs from "../../ffi/structs/features.ts";
import { ExtensionProperties } from "../../ffi/structs/instance.ts";
import { PhysicalDeviceMemoryProperties2 } from "../../ffi/structs/memory.ts";
import * as PropertyStructs from "../../ffi/structs/properties.ts";
import { clampedNumber } from "../../ffi/types.ts";
import { componentType, type CoopmatShape } from "./cooperative_matrix.ts";
import type { DeviceFeatures } from "./features.ts";
import type { MemoryTable } from "./memory_types.ts";
import { check } from "./result.ts";

/** A queue family of the device. */
export interface QueueFamily {
  /** Position in the driver's list. */
  index: number;
  /** `VkQueueFlags`. */
  flags: number;
  /** Meaningful bits of a timestamp, 0 where there are none. */
  timestampBits: number;
}

/** Extensions that are enabled where a device has them. */
export const OPTIONAL_EXTENSIONS = {
  portabilitySubset: "VK_KHR_portability_subset",
  memoryBudget: "VK_EXT_memory_budget",
  pciBusInfo: "VK_EXT_pci_bus_info",
  subgroupSizeControl: "VK_EXT_subgroup_size_control",
  integerDotProduct: "VK_KHR_shader_integer_dot_product",
  cooperativeMatrix: "VK_KHR_cooperative_matrix",
  pipelineExecutableProperties: "VK_KHR_pipeline_executable_properties",
} as const;

/** A physical device that can be asked. */
export class PhysicalDevice {
  readonly #vk: VulkanFunctions;
  readonly #instance: bigint;
  readonly #handle: bigint;
  readonly #extensions: ReadonlySet<string>;
  readonly #apiVersion: number;

  /** For the `VkPhysicalDevice` `handle` of the `VkInstance` `instance`. */
  constructor(vk: VulkanFunctions, instance: bigint, handle: bigint) {
    this.#vk = vk;
    this.#instance = instance;
    this.#handle = handle;
    const listed = enumerate(
      ExtensionProperties,
      (count, content) =>
        check(
          vk.vkEnumerateDeviceExtensionProperties(handle, null, count, content),
          "list device extensions",
        ),
    );
    this.#extensions = new Set(listed.map((extension) => extension.extensionName));
    this.#apiVersion = this.properties(PropertyStructs.PhysicalDeviceProperties2).properties.apiVersion;
  }

  /** Whether an optional extension, or the version of Vulkan that absorbed it, is there. */
  has(extension: keyof typeof OPTIONAL_EXTENSIONS, absorbedBy = Infinity): boolean {
    return this.#extensions.has(OPTIONAL_EXTENSIONS[extension]) || this.#apiVersion >= absorbedBy;
  }

  /** Names of the optional extensions that are there. */
  extensions(): string[] {
    return Object.values(OPTIONAL_EXTENSIONS).filter((name) => this.#extensions.has(name));
  }

  /** A struct of `vkGetPhysicalDeviceProperties2`; all zero unless `there`. */
  properties<F extends Fields>(layout: StructLayout<F>, there = true): StructOutput<F> {
    return this.#query(
      "vkGetPhysicalDeviceProperties2",
      PropertyStructs.PhysicalDeviceProperties2,
      layout,
      there,
    );
  }

  /** A struct of `vkGetPhysicalDeviceFeatures2`; all zero unless `there`. */
  #featureStruct<F extends Fields>(layout: StructLayout<F>, there = true): StructOutput<F> {
    return this.#query("vkGetPhysicalDeviceFeatures2", FeatureStructs.PhysicalDeviceFeatures2, layout, there);
  }

  /** A struct of `vkGetPhysicalDeviceMemoryProperties2`. */
  memoryProperties<F extends Fields>(layout: StructLayout<F>): StructOutput<F> {
    return this.#query("vkGetPhysicalDeviceMemoryProperties2", PhysicalDeviceMemoryProperties2, layout, true);
  }

  /** The features that zinc looks at; those of structs that the device does not know are false. */
  features(): DeviceFeatures {
    const modern = this.#apiVersion >= apiVersion(1, 2);
    const base = this.#featureStruct(FeatureStructs.PhysicalDeviceFeatures2).features;
    const v11 = this.#featureStruct(FeatureStructs.PhysicalDeviceVulkan11Features, modern);
    const v12 = this.#featureStruct(FeatureStructs.PhysicalDeviceVulkan12Features, modern);
    const sizes = this.#featureStruct(
      FeatureStructs.PhysicalDeviceSubgroupSizeControlFeatures,
      this.has("subgroupSizeControl", apiVersion(1, 3)),
    );
    const dot = this.#featureStruct(
      FeatureStructs.PhysicalDeviceShaderIntegerDotProductFeatures,
      this.has("integerDotProduct", apiVersion(1, 3)),
    );
    const coopmat = this.#featureStruct(
      CoopmatStructs.PhysicalDeviceCooperativeMatrixFeaturesKHR,
      this.has("cooperativeMatrix"),
    );
    const executable = this.#featureStruct(
      FeatureStructs.PhysicalDevicePipelineExecutablePropertiesFeaturesKHR,
      this.has("pipelineExecutableProperties"),
    );
    return {
      bufferDeviceAddress: v12.bufferDeviceAddress,
      scalarBlockLayout: v12.scalarBlockLayout,
      storageBuffer8BitAccess: v12.storageBuffer8BitAccess,
      storageBuffer16BitAccess: v11.storageBuffer16BitAccess,
      shaderInt8: v12.shaderInt8,
      shaderFloat16: v12.shaderFloat16,
      shaderInt64: base.shaderInt64,
      timelineSemaphore: v12.timelineSemaphore,
      shaderInt16: base.shaderInt16,
      shaderSubgroupExtendedTypes: v12.shaderSubgroupExtendedTypes,
      vulkanMemoryModel: v12.vulkanMemoryModel,
      vulkanMemoryModelDeviceScope: v12.vulkanMemoryModelDeviceScope,
      subgroupSizeControl: sizes.subgroupSizeControl,
      computeFullSubgroups: sizes.computeFullSubgroups,
      shaderIntegerDotProduct: dot.shaderIntegerDotProduct,
      cooperativeMatrix: coopmat.cooperativeMatrix,
      pipelineExecutableInfo: executable.pipelineExecutableInfo,
    };
  }

  /** Cooperative matrix shapes; the extension must be there. */
  coopmatShapes(): CoopmatShape[] {
    const call = extensionFunction(
      this.#vk,
      this.#instance,
      "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR",
    );
    if (call === null) return [];
    return enumerate(
      CoopmatStructs.CooperativeMatrixPropertiesKHR,
      (count, content) => check(call(this.#handle, count, content), "list cooperative matrix shapes"),
    ).map((s) => ({
      m: s.MSize,
      n: s.NSize,
      k: s.KSize,
      a: componentType(s.AType),
      b: componentType(s.BType),
      c: componentType(s.CType),
      result: componentType(s.ResultType),
      scope: s.scope,
      saturating: s.saturatingAccumulation,
    }));
  }

  /** Heaps and memory types. */
  memory(): MemoryTable {
    const found = this.memoryProperties(PhysicalDeviceMemoryProperties2).memoryProperties;
    return {
      heaps: found.memoryHeaps.slice(0, found.memoryHeapCount).map((heap) => ({
        bytes: clampedNumber(heap.size),
        deviceLocal: (heap.flags & MEMORY_HEAP.DEVICE_LOCAL) !== 0,
      })),
      types: found.memoryTypes.slice(0, found.memoryTypeCount).map((type) => ({
        flags: type.propertyFlags,
        heap: type.heapIndex,
      })),
    };
  }

  /** Queue families in the driver's order. */
  queueFamilies(): QueueFamily[] {
    using arena = new Arena();
    const count = arena.alloc(4);
    this.#vk.vkGetPhysicalDeviceQueueFamilyProperties(this.#handle, count, null);
    const families = arena.alloc(readU32(count) * PropertyStructs.QueueFamilyProperties.bytes);
    this.#vk.vkGetPhysicalDeviceQueueFamilyProperties(this.#handle, count, families);
    return readStructs(PropertyStructs.QueueFamilyProperties, families, readU32(count)).map((
      family,
      index,
    ) => ({
      index,
      flags: family.queueFlags,
      timestampBits: family.timestampValidBits,
    }));
  }

  /** Reads `layout`, which is the function's own struct `head` or hangs from it. */
  #query<H extends Fields, F extends Fields>(
    name:
      | "vkGetPhysicalDeviceProperties2"
      | "vkGetPhysicalDeviceFeatures2"
      | "vkGetPhysicalDeviceMemoryProperties2",
    head: StructLayout<H>,
    layout: StructLayout<F>,
    there: boolean,
  ): StructOutput<F> {
    using arena = new Arena();
    const wanted = arena.struct(layout);
    if (there) {
      const isHead = layout.name === head.name;
      this.#vk[name](this.#handle, isHead ? wanted : arena.struct(head, { pNext: wanted } as never));
    }
    return readStruct(layout, wanted);
  }
}
