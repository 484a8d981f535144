/** A physical device: what it is, what it can do, and how much memory it has. Nothing is created on it here. */
import { Arena } from "../../ffi/arena.ts";
import { apiVersion, PHYSICAL_DEVICE_TYPES, SHADER_STAGE, versionText } from "../../ffi/enums.ts";
import { extensionFunction } from "../../ffi/functions.ts";
import type { Fields, StructLayout } from "../../ffi/layout.ts";
import { enumerate, readStruct, readStructs, readU32 } from "../../ffi/read.ts";
import * as CoopmatStructs from "../../ffi/structs/cooperative_matrix.ts";
import * as FeatureStructs from "../../ffi/structs/features.ts";
import { ExtensionProperties } from "../../ffi/structs/instance.ts";
import {
  PhysicalDeviceMemoryBudgetPropertiesEXT,
  PhysicalDeviceMemoryProperties2,
} from "../../ffi/structs/memory.ts";
import * as PropertyStructs from "../../ffi/structs/properties.ts";
import { clampedNumber } from "../../ffi/types.ts";
import { UserError } from "../common/errors.ts";
import { componentType, type CoopmatShape } from "./cooperative_matrix.ts";
import { type DeviceFeatures, missingFeatures } from "./features.ts";
import type { Instance } from "./instance.ts";
import { type DeviceType, type MemoryBudget, type MemoryTable, totalBudget } from "./memory_types.ts";
import { check } from "./result.ts";

/** Limits that zinc has to respect, in the registry's words. */
export interface AdapterLimits {
  /** Bytes of push constants. */
  maxPushConstantsSize: number;
  /** Bytes of shared memory of a workgroup. */
  maxComputeSharedMemorySize: number;
  /** Invocations of a workgroup. */
  maxComputeWorkGroupInvocations: number;
  /** Workgroups of a dispatch in x, y and z. */
  maxComputeWorkGroupCount: number[];
  /** Invocations of a workgroup in x, y and z. */
  maxComputeWorkGroupSize: number[];
  /** Bytes of one allocation. */
  maxMemoryAllocationSize: number;
  /** Number of allocations. */
  maxMemoryAllocationCount: number;
  /** Nanoseconds of one timestamp tick. */
  timestampPeriod: number;
}

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

/** A device that a driver offers. */
export class Adapter {
  /** The instance it belongs to. */
  readonly instance: Instance;
  /** `VkPhysicalDevice`. */
  readonly handle: bigint;
  /** Name by the driver. */
  readonly name: string;
  /** Kind of device. `"cpu"` is a software driver, slow by nature. */
  readonly type: DeviceType;
  /** Packed version of Vulkan. */
  readonly apiVersion: number;
  /** PCI vendor. */
  readonly vendorId: number;
  /** PCI device. */
  readonly deviceId: number;
  /** Driver version, in the vendor's own packing. */
  readonly driverVersion: number;
  /** `VkDriverId`. */
  readonly driverId: number;
  /** For example `"radv"`. */
  readonly driverName: string;
  /** For example `"Mesa 25.0.1"`. */
  readonly driverInfo: string;
  /** `deviceUUID` in hexadecimal. */
  readonly uuid: string;
  /** `pipelineCacheUUID` in hexadecimal. */
  readonly pipelineCacheUuid: string;
  /** `"domain:bus:device.function"`, where reported. */
  readonly pciAddress: string | null;
  /** Limits. */
  readonly limits: AdapterLimits;
  /** Lanes of a subgroup: by default, and the range that a pipeline may ask for. */
  readonly subgroup: { size: number; min: number; max: number; requiredSizeInCompute: boolean };
  /** `VkSubgroupFeatureFlags` of compute shaders. */
  readonly subgroupOperations: number;
  /** Whether dot products of four packed 8-bit integers are a hardware instruction. */
  readonly integerDotProductAccelerated: boolean;
  /** Features. */
  readonly features: DeviceFeatures;
  /** Cooperative matrix shapes; empty without the extension. */
  readonly coopmatShapes: CoopmatShape[];
  /** Heaps and memory types. */
  readonly memory: MemoryTable;
  /** Queue families. */
  readonly queueFamilies: QueueFamily[];
  readonly #extensions: Set<string>;

  /** Queries everything about the device `handle`. */
  constructor(instance: Instance, handle: bigint) {
    this.instance = instance;
    this.handle = handle;
    const { vk } = instance;
    this.#extensions = new Set(
      enumerate(
        ExtensionProperties,
        (count, content) =>
          check(
            vk.vkEnumerateDeviceExtensionProperties(handle, null, count, content),
            "list device extensions",
          ),
      )
        .map((e) => e.extensionName),
    );

    const base =
      this.#query("vkGetPhysicalDeviceProperties2", PropertyStructs.PhysicalDeviceProperties2).properties;
    this.name = base.deviceName;
    this.type = PHYSICAL_DEVICE_TYPES[base.deviceType] ?? "other";
    this.apiVersion = base.apiVersion;
    this.vendorId = base.vendorID;
    this.deviceId = base.deviceID;
    this.driverVersion = base.driverVersion;
    this.pipelineCacheUuid = base.pipelineCacheUUID.toHex();

    const modern = base.apiVersion >= apiVersion(1, 2);
    const property = <F extends Fields>(layout: StructLayout<F>, there: boolean) =>
      there
        ? this.#query("vkGetPhysicalDeviceProperties2", layout)
        : layout.read(new DataView(new ArrayBuffer(layout.bytes)), 0);
    const v11 = property(PropertyStructs.PhysicalDeviceVulkan11Properties, modern);
    const v12 = property(PropertyStructs.PhysicalDeviceVulkan12Properties, modern);
    this.uuid = v11.deviceUUID.toHex();
    this.driverId = v12.driverID;
    this.driverName = v12.driverName;
    this.driverInfo = v12.driverInfo;
    this.limits = {
      maxPushConstantsSize: base.limits.maxPushConstantsSize,
      maxComputeSharedMemorySize: base.limits.maxComputeSharedMemorySize,
      maxComputeWorkGroupInvocations: base.limits.maxComputeWorkGroupInvocations,
      maxComputeWorkGroupCount: base.limits.maxComputeWorkGroupCount,
      maxComputeWorkGroupSize: base.limits.maxComputeWorkGroupSize,
      maxMemoryAllocationSize: clampedNumber(v11.maxMemoryAllocationSize),
      maxMemoryAllocationCount: base.limits.maxMemoryAllocationCount,
      timestampPeriod: base.limits.timestampPeriod,
    };

    const sizes = property(
      PropertyStructs.PhysicalDeviceSubgroupSizeControlProperties,
      this.#has("subgroupSizeControl", 1, 3),
    );
    this.subgroup = {
      size: v11.subgroupSize,
      min: sizes.minSubgroupSize || v11.subgroupSize,
      max: sizes.maxSubgroupSize || v11.subgroupSize,
      requiredSizeInCompute: (sizes.requiredSubgroupSizeStages & SHADER_STAGE.COMPUTE) !== 0,
    };
    const inCompute = (v11.subgroupSupportedStages & SHADER_STAGE.COMPUTE) !== 0;
    this.subgroupOperations = inCompute ? v11.subgroupSupportedOperations : 0;
    this.integerDotProductAccelerated = property(
      PropertyStructs.PhysicalDeviceShaderIntegerDotProductProperties,
      this.#has("integerDotProduct", 1, 3),
    ).integerDotProduct4x8BitPackedSignedAccelerated;
    const pci = property(PropertyStructs.PhysicalDevicePCIBusInfoPropertiesEXT, this.#has("pciBusInfo"));
    const hex = (value: number, digits: number) => value.toString(16).padStart(digits, "0");
    this.pciAddress = this.#has("pciBusInfo")
      ? `${hex(pci.pciDomain, 4)}:${hex(pci.pciBus, 2)}:${hex(pci.pciDevice, 2)}.${pci.pciFunction}`
      : null;

    this.features = this.#queryFeatures(modern);
    this.coopmatShapes = this.features.cooperativeMatrix ? this.#queryCoopmatShapes() : [];
    this.memory = this.#queryMemory();
    this.queueFamilies = this.#queryQueueFamilies();
  }

  /** Names of required features that this device lacks; empty when zinc can run on it. */
  get missing(): string[] {
    if (this.apiVersion < apiVersion(1, 2)) return [`Vulkan 1.2 (it has ${versionText(this.apiVersion)})`];
    return missingFeatures({
      features: this.features,
      subgroupOperations: this.subgroupOperations,
      maxPushConstantsSize: this.limits.maxPushConstantsSize,
    });
  }

  /** Throws UserError naming the features that this device lacks. */
  requireFloor(): void {
    const { missing } = this;
    if (missing.length === 0) return;
    throw new UserError(
      `Cannot run on "${this.name}" (driver ${this.driverName} ${this.driverInfo}): it lacks ${
        missing.join(", ")
      }; ` +
        "update the driver or choose another device with --device",
    );
  }

  /** Names of the optional extensions that this device has and that are not yet part of its version of Vulkan. */
  get enabledExtensions(): string[] {
    const wanted: string[] = Object.values(OPTIONAL_EXTENSIONS);
    return wanted.filter((name) => this.#extensions.has(name));
  }

  /** Memory for models; see {@linkcode totalBudget}. `used` is what zinc itself allocated from each heap, in bytes. */
  memoryBudget(used: number[] = [], limit?: number): MemoryBudget {
    const { system, reported } = this.#memoryState();
    return totalBudget({ table: this.memory, deviceType: this.type, reported, used, system, limit });
  }

  /** Bytes of memory for models that are free now. */
  get freeBytes(): number {
    return this.memoryBudget().free;
  }

  #memoryState() {
    const available = this.#has("memoryBudget");
    const budget = available
      ? this.#query("vkGetPhysicalDeviceMemoryProperties2", PhysicalDeviceMemoryBudgetPropertiesEXT)
      : null;
    const reported = budget && {
      budget: budget.heapBudget.map(clampedNumber),
      usage: budget.heapUsage.map(clampedNumber),
    };
    return { reported, system: this.type === "cpu" ? Deno.systemMemoryInfo() : undefined };
  }

  /** Whether an optional extension, or the version of Vulkan that absorbed it, is there. */
  #has(extension: keyof typeof OPTIONAL_EXTENSIONS, major = Infinity, minor = 0): boolean {
    return this.#extensions.has(OPTIONAL_EXTENSIONS[extension]) ||
      this.apiVersion >= apiVersion(major, minor);
  }

  /** Reads one struct of a chain that begins with the function's own struct. */
  #query<F extends Fields>(
    name:
      | "vkGetPhysicalDeviceProperties2"
      | "vkGetPhysicalDeviceFeatures2"
      | "vkGetPhysicalDeviceMemoryProperties2",
    layout: StructLayout<F>,
  ) {
    const heads: Record<string, StructLayout> = {
      vkGetPhysicalDeviceProperties2: PropertyStructs.PhysicalDeviceProperties2 as unknown as StructLayout,
      vkGetPhysicalDeviceFeatures2: FeatureStructs.PhysicalDeviceFeatures2 as unknown as StructLayout,
      vkGetPhysicalDeviceMemoryProperties2: PhysicalDeviceMemoryProperties2 as unknown as StructLayout,
    };
    using arena = new Arena();
    const wanted = arena.struct(layout);
    const head = heads[name];
    const isHead = (head as unknown) === layout;
    this.instance.vk[name](this.handle, isHead ? wanted : arena.struct(head, { pNext: wanted } as never));
    return readStruct(layout, wanted);
  }

  #queryFeatures(modern: boolean): DeviceFeatures {
    const feature = <F extends Fields>(layout: StructLayout<F>, there: boolean) =>
      there
        ? this.#query("vkGetPhysicalDeviceFeatures2", layout)
        : layout.read(new DataView(new ArrayBuffer(layout.bytes)), 0);
    const base = feature(FeatureStructs.PhysicalDeviceFeatures2, true).features;
    const v11 = feature(FeatureStructs.PhysicalDeviceVulkan11Features, modern);
    const v12 = feature(FeatureStructs.PhysicalDeviceVulkan12Features, modern);
    const sizes = feature(
      FeatureStructs.PhysicalDeviceSubgroupSizeControlFeatures,
      this.#has("subgroupSizeControl", 1, 3),
    );
    const dot = feature(
      FeatureStructs.PhysicalDeviceShaderIntegerDotProductFeatures,
      this.#has("integerDotProduct", 1, 3),
    );
    const coopmat = feature(
      CoopmatStructs.PhysicalDeviceCooperativeMatrixFeaturesKHR,
      this.#has("cooperativeMatrix"),
    );
    const executable = feature(
      FeatureStructs.PhysicalDevicePipelineExecutablePropertiesFeaturesKHR,
      this.#has("pipelineExecutableProperties"),
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

  #queryCoopmatShapes(): CoopmatShape[] {
    const { vk, handle: instance } = this.instance;
    const call = extensionFunction(vk, instance, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR");
    if (call === null) return [];
    return enumerate(
      CoopmatStructs.CooperativeMatrixPropertiesKHR,
      (count, content) => check(call(this.handle, count, content), "list cooperative matrix shapes"),
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

  #queryMemory(): MemoryTable {
    const found = this.#query("vkGetPhysicalDeviceMemoryProperties2", PhysicalDeviceMemoryProperties2)
      .memoryProperties;
    return {
      heaps: found.memoryHeaps.slice(0, found.memoryHeapCount).map((heap) => ({
        bytes: clampedNumber(heap.size),
        deviceLocal: (heap.flags & 1) !== 0,
      })),
      types: found.memoryTypes.slice(0, found.memoryTypeCount).map((type) => ({
        flags: type.propertyFlags,
        heap: type.heapIndex,
      })),
    };
  }

  #queryQueueFamilies(): QueueFamily[] {
    using arena = new Arena();
    const { vk } = this.instance;
    const count = arena.alloc(4);
    vk.vkGetPhysicalDeviceQueueFamilyProperties(this.handle, count, null);
    const families = arena.alloc(readU32(count) * PropertyStructs.QueueFamilyProperties.bytes);
    vk.vkGetPhysicalDeviceQueueFamilyProperties(this.handle, count, families);
    return readStructs(PropertyStructs.QueueFamilyProperties, families, readU32(count)).map((
      family,
      index,
    ) => ({
      index,
      flags: family.queueFlags,
      timestampBits: family.timestampValidBits,
    }));
  }
}
