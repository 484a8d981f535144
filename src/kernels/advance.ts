/**
 * Ends a step with a token that is known beforehand, in place of the sampler: for measuring how fast steps follow each other
 * without what it costs to choose a token.
 */
import type { Recorder, Span } from "../vulkan/mod.ts";
import type { KernelSet } from "./kernel_set.ts";

const U32_BYTES = 4;

/** What the kernel works on. */
export interface AdvanceGpu {
  readonly kernels: KernelSet;
  readonly recorder: Recorder;
  /** The step buffer; see `step_buffer.ts`. */
  readonly step: Span;
  /** Token ids as u32; the token at position p is entry `p modulo length`. */
  readonly trace: Span;
}

/** Records the dispatch that moves the step on by its tokens and gives it the trace's next token. */
export function recordAdvance({ kernels, recorder, step, trace }: AdvanceGpu): void {
  recorder.dispatch(kernels.get("advance"), {
    workgroups: [1, 1, 1],
    push: { step, trace, traceLength: trace.bytes / U32_BYTES },
    reads: [trace],
    writes: [step],
  });
}
