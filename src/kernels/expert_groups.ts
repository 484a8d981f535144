/**
 * The chosen experts of a batch, sorted: a kernel that serves several tokens with the weights it has read needs tokens that
 * chose the same expert (shaders/include/expert_groups.glsl).
 */
import type { DeviceMatrix, GpuContext, Span } from "./operation.ts";
import { powerOfTwoUpTo } from "./teams.ts";

/** Groups of entries that chose the same expert, in device memory. */
export interface ExpertGroups {
  readonly span: Span;
  /** Groups there can be; those that are not needed are empty. */
  readonly count: number;
  /** Most entries of a group. */
  readonly size: number;
}

/** Most entries that one group holds: with more, the inputs that a pair of products shares no longer fit in registers. */
const GROUP_MAX = 4;
/** Entries per expert, on the average, from which on sorting pays. */
const ENTRIES_PER_EXPERT = 2;
const GROUP_BYTES = 16;
const ENTRY_BYTES = 4;

/** Sorts the slots of `ids [rows, slots]` by expert; undefined where too few share one. */
export function recordExpertGroups(
  gpu: GpuContext,
  ids: DeviceMatrix,
  experts: number,
): ExpertGroups | undefined {
  const entries = ids.rows * ids.width;
  if (ids.rows < 2 || entries < ENTRIES_PER_EXPERT * experts) return undefined;
  const size = Math.min(GROUP_MAX, powerOfTwoUpTo(entries / experts));
  const count = Math.min(entries, experts + Math.floor(entries / size));
  const span = gpu.scratch(count * GROUP_BYTES + entries * ENTRY_BYTES);
  const constants = { WORKGROUP: gpu.kernels.workgroup(256), EXPERTS: experts, GROUP: size };
  gpu.recorder.dispatch(gpu.kernels.get("expert_groups", { constants }), {
    workgroups: [1, 1, 1],
    push: {
      ids: ids.span,
      groups: span,
      rows: ids.rows,
      slots: ids.width,
      idsStride: ids.stride,
      most: count,
    },
    reads: [ids.span],
    writes: [span],
  });
  return { span, count, size };
}
