/** The device sampler of one sequence: its parameters, its scratch memory, and the ring that tokens come back in. */
import type { PlanTail } from "../graph/vulkan_sequence.ts";
import type { KernelSet } from "../kernels/kernel_set.ts";
import { recordSampler, ringToken, samplerKind, samplerScratchBytes } from "../kernels/sample.ts";
import { SAMPLER_PARAMS_BYTES, writeSamplerParams } from "../kernels/sample_params.ts";
import { type CommandBuffer, type Device, type DeviceBuffer, Recorder, span } from "../vulkan/mod.ts";
import type { SamplingOptions } from "./sampling/mod.ts";

/** Entries of the ring: more than the steps that can be in flight. */
const RING_LENGTH = 1024;
const U32_BYTES = 4;

/** Bytes that a sampler for `vocabulary` tokens takes of the device's memory and of what the host shares with it. */
export function samplerBytes(vocabulary: number): number {
  return 2 * SAMPLER_PARAMS_BYTES + samplerScratchBytes(vocabulary) + RING_LENGTH * U32_BYTES;
}

/** Samples for one sequence at a time. */
export class DeviceSampler implements Disposable {
  readonly #device: Device;
  readonly #kernels: KernelSet;
  readonly #vocabulary: number;
  readonly #owned = new DisposableStack();
  readonly #params: DeviceBuffer;
  readonly #paramsStaging: DeviceBuffer;
  readonly #scratch: DeviceBuffer;
  readonly #ring: DeviceBuffer;
  readonly #uploadParams: CommandBuffer;

  constructor(device: Device, kernels: KernelSet, vocabulary: number) {
    this.#device = device;
    this.#kernels = kernels;
    this.#vocabulary = vocabulary;
    const buffer = (label: string, bytes: number, kind: "activations" | "staging" | "readback") =>
      this.#owned.use(device.createBuffer({ label: `sampler ${label}`, bytes, kind }));
    this.#params = buffer("parameters", SAMPLER_PARAMS_BYTES, "activations");
    this.#paramsStaging = buffer("parameters staging", SAMPLER_PARAMS_BYTES, "staging");
    this.#scratch = buffer("scratch", samplerScratchBytes(vocabulary), "activations");
    this.#ring = buffer("ring", RING_LENGTH * U32_BYTES, "readback");
    this.#uploadParams = this.#record(
      "upload",
      (recorder) => recorder.copy(span(this.#paramsStaging), span(this.#params)),
    );
    using zero = this.#recordOnce("clear", (recorder) => recorder.fill(span(this.#scratch), 0));
    device.submit([zero]);
  }

  /**
   * Starts a generation. Returns what to record behind the graph; a tail of the same name is interchangeable.
   * No step of an earlier generation may be in flight.
   */
  begin(options: SamplingOptions, history: readonly number[], endOfGeneration: Iterable<number>): PlanTail {
    writeSamplerParams(viewOf(this.#paramsStaging), options, { history, endOfGeneration });
    this.#device.submit([this.#uploadParams]);
    const kind = samplerKind(options);
    return {
      name: kind,
      record: (gpu, result) => {
        recordSampler({
          kernels: this.#kernels,
          recorder: gpu.recorder,
          step: gpu.step,
          params: span(this.#params),
          scratch: span(this.#scratch),
          ring: span(this.#ring),
          logits: result.span,
          vocabulary: this.#vocabulary,
        }, kind);
        gpu.recorder.hostBarrier();
      },
    };
  }

  /**
   * The token that step `index` of the generation sampled; the step must be done.
   *
   * @throws UserError when the step's logits were not finite.
   */
  token(index: number): number {
    const entry = viewOf(this.#ring).getUint32(index % RING_LENGTH * U32_BYTES, true);
    return ringToken(entry, this.#device.info.name);
  }

  [Symbol.dispose](): void {
    this.#owned[Symbol.dispose]();
  }

  #record(label: string, record: (recorder: Recorder) => void): CommandBuffer {
    return this.#owned.use(this.#recordOnce(label, record));
  }

  #recordOnce(label: string, record: (recorder: Recorder) => void): CommandBuffer {
    using recorder = new Recorder(this.#device, { label: `sampler ${label}` });
    record(recorder);
    return recorder.finish();
  }
}

function viewOf(buffer: DeviceBuffer): DataView {
  const mapped = buffer.mapped!;
  return new DataView(mapped.buffer, mapped.byteOffset, mapped.byteLength);
}
