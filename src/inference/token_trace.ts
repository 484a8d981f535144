/**
 * Tokens that are known beforehand, for measurements: what is fed does not depend on what the model says, so every run does the
 * same work and nothing has to be chosen.
 */
import type { PlanTail } from "../graph/vulkan_sequence.ts";
import { recordAdvance } from "../kernels/advance.ts";
import type { KernelSet } from "../kernels/kernel_set.ts";
import { type Device, type DeviceBuffer, Recorder, span } from "../vulkan/mod.ts";

/** Tokens after which the trace repeats. */
const LENGTH = 4096;
const U32_BYTES = 4;

/** The tokens at positions `[position, position + count)`: spread over the vocabulary, always the same. */
export function traceTokens(vocab: number, position: number, count: number): Int32Array {
  return Int32Array.from({ length: count }, (_, i) => traceToken(vocab, position + i));
}

function traceToken(vocab: number, position: number): number {
  // Multiplying by an odd constant permutes the 32-bit numbers; the upper half of the product looks random.
  const mixed = Math.imul(position % LENGTH + 1, 0x9e3779b1) >>> 8;
  return mixed % vocab;
}

/** The trace in device memory, for one vocabulary. */
export class DeviceTrace implements Disposable {
  /** Ends a plan by moving on along the trace. */
  readonly tail: PlanTail;
  readonly #tokens: DeviceBuffer;

  constructor(device: Device, kernels: KernelSet, vocab: number) {
    const bytes = LENGTH * U32_BYTES;
    using staging = device.createBuffer({ label: "trace staging", bytes, kind: "staging" });
    const mapped = staging.mapped!;
    new Int32Array(mapped.buffer, mapped.byteOffset, LENGTH).set(traceTokens(vocab, 0, LENGTH));
    this.#tokens = device.createBuffer({ label: "trace", bytes, kind: "activations" });
    using recorder = new Recorder(device, { label: "trace" });
    recorder.copy(span(staging), span(this.#tokens));
    using commands = recorder.finish();
    device.submit([commands]);
    this.tail = {
      name: "trace",
      record: ({ recorder, step }) => recordAdvance({ kernels, recorder, step, trace: span(this.#tokens) }),
    };
  }

  [Symbol.dispose](): void {
    this.#tokens[Symbol.dispose]();
  }
}
