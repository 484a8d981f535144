/** What the device sampler's tests share: its buffers, recordings that start from the same logits, and its results. */
import { survivors } from "../../src/inference/sampling/sampler.ts";
import { gumbelNoise } from "../../src/inference/sampling/random.ts";
import { KernelSet, type Strategy } from "../../src/kernels/kernel_set.ts";
import { recordSampler, type SamplerKind, samplerScratchBytes } from "../../src/kernels/sample.ts";
import { SAMPLER_PARAMS_BYTES, writeSamplerParams } from "../../src/kernels/sample_params.ts";
import type { SamplingOptions } from "../../src/kernels/sampling_options.ts";
import { readStep, stepBytes, type StepHeader, writeStep } from "../../src/kernels/step_buffer.ts";
import {
  type CommandBuffer,
  type Device,
  type DeviceBuffer,
  Recorder,
  span,
  Uploader,
} from "../../src/vulkan/mod.ts";
import { assert } from "../support/assert.ts";

/** How a generation starts. */
export interface Start {
  position?: number;
  /** Rows of the first step. */
  tokens?: number[];
  history?: number[];
  endOfGeneration?: number[];
}

type BufferName = "step" | "params" | "scratch" | "source" | "logits" | "ring";

/** What a rig can do otherwise. */
export interface RigOptions {
  ringLength?: number;
  /** Work by the device's own strategy, or by another. */
  strategy?: Strategy;
}

/** The sampler of one sequence on a device. Every step of a recording samples from the same `logits`. */
export class SamplerRig implements Disposable {
  readonly #device: Device;
  readonly #vocabulary: number;
  readonly #kernels: KernelSet;
  readonly #buffers: Record<BufferName, DeviceBuffer>;

  private constructor(device: Device, vocabulary: number, { ringLength = 512, strategy }: RigOptions) {
    this.#device = device;
    this.#vocabulary = vocabulary;
    this.#kernels = new KernelSet(device, { strategy });
    const buffer = (label: string, bytes: number, kind: "activations" | "readback" = "activations") =>
      device.createBuffer({ label, bytes, kind });
    this.#buffers = {
      step: buffer("step", stepBytes(8)),
      params: buffer("params", SAMPLER_PARAMS_BYTES),
      scratch: buffer("scratch", samplerScratchBytes(vocabulary)),
      source: buffer("source", vocabulary * 4),
      logits: buffer("logits", vocabulary * 4),
      ring: buffer("ring", ringLength * 4, "readback"),
    };
  }

  /** A sampler for `logits`. */
  static async create(
    device: Device,
    logits: ArrayLike<number>,
    options: RigOptions = {},
  ): Promise<SamplerRig> {
    const rig = new SamplerRig(device, logits.length, options);
    await rig.setLogits(logits);
    using recorder = new Recorder(device);
    recorder.fill(span(rig.#buffers.scratch), 0);
    recorder.fill(span(rig.#buffers.ring), 0);
    using commands = recorder.finish();
    await device.wait(device.submit([commands]));
    return rig;
  }

  /** Replaces the logits. */
  async setLogits(logits: ArrayLike<number>): Promise<void> {
    assert(logits.length === this.#vocabulary);
    // A copy of a Float32Array keeps the bits of a NaN.
    const floats = logits instanceof Float32Array ? logits.slice() : Float32Array.from(logits);
    await this.#write("source", new Uint8Array(floats.buffer));
  }

  /** Begins a generation. */
  async start(options: SamplingOptions, start: Start = {}): Promise<void> {
    const { position = 0, tokens = [0], history = [], endOfGeneration = [] } = start;
    const params = new Uint8Array(SAMPLER_PARAMS_BYTES);
    writeSamplerParams(new DataView(params.buffer), options, { endOfGeneration, history });
    await this.#write("params", params);
    const step = new Uint8Array(stepBytes(8));
    writeStep(new DataView(step.buffer), position, tokens);
    await this.#write("step", step);
  }

  /** One step, to be submitted as often as needed. */
  record(kind: SamplerKind): CommandBuffer {
    const { step, params, scratch, source, logits, ring } = this.#buffers;
    using recorder = new Recorder(this.#device);
    recorder.copy(span(source), span(logits));
    recordSampler({
      kernels: this.#kernels,
      recorder,
      step: span(step),
      params: span(params),
      scratch: span(scratch),
      logits: span(logits),
      ring: span(ring),
      vocabulary: this.#vocabulary,
    }, kind);
    return recorder.finish();
  }

  /** Submits `count` steps at once and waits for them. */
  async run(kind: SamplerKind, count: number): Promise<void> {
    using commands = this.record(kind);
    await this.#device.wait(this.#device.submit(new Array<CommandBuffer>(count).fill(commands)));
  }

  /** The step buffer's fields. */
  async step(): Promise<StepHeader & { tokens: number[] }> {
    const bytes = await this.#device.readback(span(this.#buffers.step));
    return readStep(new DataView(bytes.buffer));
  }

  /** The first `count` entries of the ring. */
  async ring(count: number): Promise<number[]> {
    const bytes = await this.#device.readback(span(this.#buffers.ring, 0, count * 4));
    return [...new Uint32Array(bytes.buffer)];
  }

  [Symbol.dispose](): void {
    Object.values(this.#buffers).forEach((buffer) => buffer[Symbol.dispose]());
  }

  async #write(name: BufferName, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    using uploader = new Uploader(this.#device);
    await uploader.write(span(this.#buffers[name]), bytes);
  }
}

/**
 * Fails unless `tokens` are what the readable sampler draws one after the other from `logits`. Where two candidates'
 * scores are closer than float32 can tell, either may win.
 */
export function assertDrawnLikeReference(
  tokens: readonly number[],
  logits: ArrayLike<number>,
  options: SamplingOptions,
  history: readonly number[] = [],
): void {
  tokens.forEach((token, step) => {
    const before = [...history, ...tokens.slice(0, step)];
    const scores = new Map(
      survivors(logits, before, options).map((
        { id, logit },
      ) => [id, logit + gumbelNoise(options.seed, step, id)]),
    );
    const best = scores.values().reduce((a, b) => Math.max(a, b));
    const score = scores.get(token);
    assert(score !== undefined, `step ${step}: token ${token} is not among the ${scores.size} candidates`);
    assert(score >= best - 1e-4, `step ${step}: token ${token} scores ${score}, the best ${best}`);
  });
}

/** Normally distributed logits from a seed, as a model's are: a few stand out. */
export function randomLogits(count: number, seed: number, deviation = 3): Float32Array {
  return Float32Array.from({ length: count }, (_, i) => {
    // Box and Muller's method needs two uniform numbers; the Gumbel noise of two counters provides them.
    const u = Math.exp(-Math.exp(-gumbelNoise(seed, 0, i)));
    const v = Math.exp(-Math.exp(-gumbelNoise(seed, 1, i)));
    return deviation * Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * v);
  });
}
