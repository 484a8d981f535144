/** A physical device: what it is, what it can do, and how much memory it has. Nothing is created on it here. */
import { apiVersion, PHYSICAL_DEVICE_TYPES, SHADER_STAGE, versionText } from "../../ffi/enums.ts";
import { PhysicalDeviceMemoryBudgetPropertiesEXT } from "../../ffi/structs/memory.ts";
import * as PropertyStructs from "../../ffi/structs/properties.ts";
import { clampedNumber } from "../../ffi/types.ts";
import { UserError } from "../common/errors.ts";
import { PhysicalDevice, type QueueFamily } from "./adapter_queries.ts";
import type { CoopmatShape } from "./cooperative_matrix.ts";
import { type DeviceFeatures, missingFeatures } from "./features.ts";
import type { Instance } from "./instance.ts";
import { type DeviceType, type MemoryBudget, type MemoryTable, totalBudget } from "./memory_types.ts";

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
  readonly subgroup: {
    size: number;
    min: number;
    max: number;
    requiredSizeInCompute: boolean;
    /** Subgroups of a workgroup whose pipeline asks for a size. */
    maxPerWorkgroup: number;
  };
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
  readonly #device: PhysicalDevice;

  /** Queries everything about the device `handle`. */
  constructor(instance: Instance, handle: bigint) {
    this.instance = instance;
    this.handle = handle;
    const device = new PhysicalDevice(instance.vk, instance.handle, handle);
    this.#device = device;

    const base = device.properties(PropertyStructs.PhysicalDeviceProperties2).properties;
    this.name = base.deviceName;
    this.type = PHYSICAL_DEVICE_TYPES[base.deviceType] ?? "other";
    this.apiVersion = base.apiVersion;
    this.vendorId = base.vendorID;
    this.deviceId = base.deviceID;
    this.driverVersion = base.driverVersion;
    this.pipelineCacheUuid = base.pipelineCacheUUID.toHex();

    const modern = base.apiVersion >= apiVersion(1, 2);
    const v11 = device.properties(PropertyStructs.PhysicalDeviceVulkan11Properties, modern);
    const v12 = device.properties(PropertyStructs.PhysicalDeviceVulkan12Properties, modern);
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

    const sizes = device.properties(
      PropertyStructs.PhysicalDeviceSubgroupSizeControlProperties,
      device.has("subgroupSizeControl", apiVersion(1, 3)),
    );
    this.subgroup = {
      size: v11.subgroupSize,
      min: sizes.minSubgroupSize || v11.subgroupSize,
      max: sizes.maxSubgroupSize || v11.subgroupSize,
      requiredSizeInCompute: (sizes.requiredSubgroupSizeStages & SHADER_STAGE.COMPUTE) !== 0,
      maxPerWorkgroup: sizes.maxComputeWorkgroupSubgroups || base.limits.maxComputeWorkGroupInvocations,
    };
    const inCompute = (v11.subgroupSupportedStages & SHADER_STAGE.COMPUTE) !== 0;
    this.subgroupOperations = inCompute ? v11.subgroupSupportedOperations : 0;
    this.integerDotProductAccelerated = device.properties(
      PropertyStructs.PhysicalDeviceShaderIntegerDotProductProperties,
      device.has("integerDotProduct", apiVersion(1, 3)),
    ).integerDotProduct4x8BitPackedSignedAccelerated;
    const pci = device.properties(
      PropertyStructs.PhysicalDevicePCIBusInfoPropertiesEXT,
      device.has("pciBusInfo"),
    );
    const hex = (value: number, digits: number) => value.toString(16).padStart(digits, "0");
    this.pciAddress = device.has("pciBusInfo")
      ? `${hex(pci.pciDomain, 4)}:${hex(pci.pciBus, 2)}:${hex(pci.pciDevice, 2)}.${pci.pciFunction}`
      : null;

    this.features = device.features();
    this.coopmatShapes = this.features.cooperativeMatrix ? device.coopmatShapes() : [];
    this.memory = device.memory();
    this.queueFamilies = device.queueFamilies();
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
    const driver = `${this.driverName} ${this.driverInfo}`;
    throw new UserError(
      `Cannot run on "${this.name}" (driver ${driver}): it lacks ${
        missing.join(", ")
      }; update the driver or choose ` +
        "another device with --device",
    );
  }

  /** Names of the optional extensions that a device made from this adapter may enable. */
  get optionalExtensions(): string[] {
    return this.#device.extensions();
  }

  /** Memory for models; see {@linkcode totalBudget}. `used` is what zinc itself allocated from each heap, in bytes. */
  memoryBudget(used: number[] = [], limit?: number): MemoryBudget {
    const budget = this.#device.has("memoryBudget")
      ? this.#device.memoryProperties(PhysicalDeviceMemoryBudgetPropertiesEXT)
      : null;
    const reported = budget && {
      budget: budget.heapBudget.map(clampedNumber),
      usage: budget.heapUsage.map(clampedNumber),
    };
    const system = this.type === "cpu" ? Deno.systemMemoryInfo() : undefined;
    return totalBudget({ table: this.memory, deviceType: this.type, reported, used, system, limit });
  }

  /** Bytes of memory for models that are free now. */
  get freeBytes(): number {
    return this.memoryBudget().free;
  }
}
