/** Reads memory as fast as the device can and does nothing else: the limit that other kernels are measured against. */
import { assert } from "../common/assert.ts";
import type { Recorder, Span } from "../vulkan/mod.ts";
import type { KernelSet } from "./kernel_set.ts";

/** Loads in flight per lane (`LOADS` of the shader). */
const LOADS = 8;
const LOAD_BYTES = 16;
/** A sum that words of 0 cannot have. */
const NEVER = 1;

/** What the kernel works on. */
export interface StreamRead {
  readonly kernels: KernelSet;
  readonly recorder: Recorder;
  /** Read from its start, as far as whole rounds of all workgroups go; filled with zeros. */
  readonly from: Span;
  /** At least 4 bytes, never written. */
  readonly sink: Span;
  readonly workgroups: number;
}

/** Records one pass over the memory; returns how many bytes it reads. */
export function recordStreamRead({ kernels, recorder, from, sink, workgroups }: StreamRead): number {
  const lanes = kernels.workgroup(kernels.strategy === "lanes" ? kernels.subgroup : 256);
  const roundBytes = lanes * LOADS * LOAD_BYTES;
  const rounds = Math.floor(from.bytes / (workgroups * roundBytes));
  assert(rounds > 0, `${from.bytes} bytes are too few for ${workgroups} workgroups`);
  recorder.dispatch(kernels.get("stream_read", { constants: { WORKGROUP: lanes } }), {
    workgroups: [workgroups, 1, 1],
    push: { from, sink, rounds, never: NEVER },
    reads: [from, sink],
    writes: [],
  });
  return workgroups * rounds * roundBytes;
}
