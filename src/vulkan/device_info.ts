/** What kernels need to know about a device, drawn from what its adapter reports and what was enabled. */
import { QUEUE, versionText } from "../../ffi/enums.ts";
import { UserError } from "../common/errors.ts";
import type { Adapter } from "./adapter.ts";
import type { QueueFamily } from "./adapter_queries.ts";
import { chooseCoopmatShape, type CoopmatShape } from "./cooperative_matrix.ts";
import type { DeviceFeatures } from "./features.ts";
import { type DeviceType, sharesHostMemory } from "./memory_types.ts";

/** What kernels need to know about the device. */
export interface DeviceInfo {
  /** Name by the driver. */
  name: string;
  /** Kind of device. */
  type: DeviceType;
  /** Whether the device is a software driver. */
  isCpu: boolean;
  /** For example `"radv"`. */
  driverName: string;
  /** For example `"Mesa 25.0.1"`. */
  driverInfo: string;
  /** For example `"1.3.230"`. */
  apiVersion: string;
  /** Lanes of a subgroup, unless a pipeline asks for another number. */
  subgroupSize: number;
  /** Smallest subgroup that a pipeline may ask for. */
  minSubgroupSize: number;
  /** Largest subgroup that a pipeline may ask for. */
  maxSubgroupSize: number;
  /** Whether pipelines may ask for a subgroup size. */
  canControlSubgroupSize: boolean;
  /** Whether pipelines may ask for full subgroups. */
  canRequireFullSubgroups: boolean;
  /** Subgroups of a workgroup whose pipeline asks for a subgroup size. */
  maxWorkgroupSubgroups: number;
  /** Bytes of shared memory of a workgroup. */
  maxSharedBytes: number;
  /** Invocations of a workgroup. */
  maxWorkgroupInvocations: number;
  /** Invocations of a workgroup in x, y and z. */
  maxWorkgroupSize: readonly number[];
  /** Workgroups of a dispatch in x, y and z. */
  maxWorkgroupCount: readonly number[];
  /** Length of a timestamp tick. */
  timestampPeriodNs: number;
  /** Meaningful bits of a timestamp; 0 where there are none. */
  timestampBits: number;
  /** Tile shape for f16 matrices with f32 sums, or null. */
  coopmat: CoopmatShape | null;
  /** Whether shaders may use packed integer dot products, and whether they are fast. */
  integerDotProduct: "none" | "supported" | "accelerated";
  /** Whether shaders may calculate with 16-bit integers. */
  int16: boolean;
  /** Whether weights lie in memory that the host can write directly. */
  sharesHostMemory: boolean;
}

/** A family for compute alone leaves a desktop's own queue free; else any that computes. */
export function chooseQueueFamily(families: readonly QueueFamily[]): QueueFamily {
  const compute = families.filter((family) => (family.flags & QUEUE.COMPUTE) !== 0);
  if (compute.length === 0) throw new UserError("Cannot use this device: it has no queue for compute");
  const alone = compute.find((f) => (f.flags & QUEUE.GRAPHICS) === 0 && f.timestampBits > 0);
  return alone ?? compute[0];
}

/** Describes `adapter` with the features `enabled`, seen from a queue of `family`. */
export function describeDevice(
  adapter: Adapter,
  family: QueueFamily,
  enabled: ReadonlySet<keyof DeviceFeatures>,
): DeviceInfo {
  const { limits, subgroup } = adapter;
  const dot = adapter.integerDotProductAccelerated ? "accelerated" : "supported";
  return {
    name: adapter.name,
    type: adapter.type,
    isCpu: adapter.type === "cpu",
    driverName: adapter.driverName,
    driverInfo: adapter.driverInfo,
    apiVersion: versionText(adapter.apiVersion),
    subgroupSize: subgroup.size,
    minSubgroupSize: subgroup.min,
    maxSubgroupSize: subgroup.max,
    canControlSubgroupSize: enabled.has("subgroupSizeControl") && subgroup.requiredSizeInCompute,
    canRequireFullSubgroups: enabled.has("computeFullSubgroups"),
    maxWorkgroupSubgroups: subgroup.maxPerWorkgroup,
    maxSharedBytes: limits.maxComputeSharedMemorySize,
    maxWorkgroupInvocations: limits.maxComputeWorkGroupInvocations,
    maxWorkgroupSize: limits.maxComputeWorkGroupSize,
    maxWorkgroupCount: limits.maxComputeWorkGroupCount,
    timestampPeriodNs: limits.timestampPeriod,
    timestampBits: family.timestampBits,
    coopmat: enabled.has("cooperativeMatrix") ? chooseCoopmatShape(adapter.coopmatShapes) : null,
    integerDotProduct: enabled.has("shaderIntegerDotProduct") ? dot : "none",
    int16: enabled.has("shaderInt16"),
    sharesHostMemory: sharesHostMemory(adapter.type),
  };
}
