/**
 * The Vulkan executor as an engine: prompts in batches, generation as replays of one recorded step.
 *
 * The device samples and advances by itself, so the host submits several steps ahead and only reads tokens from a ring
 * as the timeline passes. How many steps one submission carries follows from how long a step takes.
 */
import type { DeviceWeights } from "../graph/device_weights.ts";
import { type PlanTail, stateBytes, VulkanSequence } from "../graph/vulkan_sequence.ts";
import type { KernelSet } from "../kernels/kernel_set.ts";
import type { Batch } from "../kernels/operation.ts";
import { DeviceSampler } from "./device_sampler.ts";
import type { OpenModel } from "../models/open_model.ts";
import { type Device, type DeviceBuffer, span } from "../vulkan/mod.ts";
import type { Checkpoint, DecodeOptions, Engine } from "./engine.ts";

const F32_BYTES = 4;
/** A submission carries about this much work, ms: long enough to hide the host, short enough to stop soon. */
const SUBMISSION_MS = 8;
/** Steps of one submission. */
const RUN_MAX = 32;
/** Slower steps than this, ms, are submitted one by one: a second one in flight would only delay a stop. */
const SLOW_STEP_MS = 20;

/** The device and what is on it already. */
export interface VulkanResources {
  readonly device: Device;
  readonly kernels: KernelSet;
  readonly weights: DeviceWeights;
}

interface VulkanCheckpoint extends Checkpoint {
  restore(): void;
}

/** Runs one sequence on a Vulkan device. */
export class VulkanEngine implements Engine {
  readonly vocab: number;
  readonly contextLength: number;
  readonly ubatch: number;
  readonly canRewind: boolean;
  readonly stateBytes: number;
  readonly #device: Device;
  readonly #sequence: VulkanSequence;
  readonly #sampler: DeviceSampler;
  /** Host-visible memory for results, by their number of rows. */
  readonly #readback = new Map<number, DeviceBuffer>();
  #checkpoint: Disposable | undefined;
  #position = 0;

  constructor(model: OpenModel, resources: VulkanResources, ubatch: number) {
    const { device, kernels, weights } = resources;
    const { contextLength, states: { slots } } = model;
    this.#device = device;
    this.vocab = model.config.vocab;
    this.contextLength = contextLength;
    this.ubatch = ubatch;
    this.canRewind = slots.every((slot) => slot.kind === "kv");
    this.stateBytes = stateBytes(slots, contextLength);
    this.#sequence = new VulkanSequence({
      device,
      kernels,
      weights,
      slots,
      contextLength,
      ubatch,
      build: (tokens, outputs) => model.build(tokens, outputs),
    });
    this.#sampler = new DeviceSampler(device, kernels, this.vocab);
  }

  async forward(batch: Batch, outputs: number): Promise<Float32Array> {
    const end = batch.position + batch.tokens.length;
    const tail = outputs > 0 ? this.#readbackTail(outputs) : undefined;
    const plan = this.#sequence.plan(batch.tokens.length, outputs, this.#sequence.bucketFor(end), tail);
    const value = await this.#sequence.submitBatch(batch, plan);
    this.#position = end;
    await this.#device.wait(value);
    if (outputs === 0) return new Float32Array();
    const bytes = outputs * plan.resultWidth * F32_BYTES;
    return new Float32Array(this.#readbackBuffer(outputs, bytes).mapped!.slice(0, bytes).buffer);
  }

  async *decode(batch: Batch, options: DecodeOptions): AsyncIterable<number> {
    const { maxTokens, signal, endOfGeneration } = options;
    const tail = this.#sampler.begin(options.sampling, options.history, endOfGeneration);
    const start = batch.position + batch.tokens.length;
    const first = this.#sequence.plan(batch.tokens.length, 1, this.#sequence.bucketFor(start), tail);
    const queue = [{ count: 1, value: await this.#sequence.submitBatch(batch, first) }];
    const pace = new Pace();
    let submitted = 1;
    let read = 0;
    try {
      for (let run = queue.shift(); run; run = queue.shift()) {
        await this.#device.wait(run.value);
        pace.done(run.count);
        const tokens = Array.from({ length: run.count }, () => this.#sampler.token(read++));
        const ended = signal?.aborted || tokens.some((token) => endOfGeneration.has(token));
        // The next steps start before these tokens are handed out, so that the device never waits for the host.
        while (!ended && queue.length < pace.ahead && submitted < maxTokens) {
          const next = this.#submitRun(start + submitted, Math.min(pace.steps, maxTokens - submitted), tail);
          queue.push(next);
          submitted += next.count;
        }
        for (const token of tokens) {
          yield token;
          if (endOfGeneration.has(token) || signal?.aborted) return;
        }
      }
    } finally {
      this.#position = start + read - 1;
      await this.#device.wait(this.#device.submitted);
    }
  }

  clear(): void {
    this.#sequence.clear();
    this.#position = 0;
  }

  checkpoint(): Promise<Checkpoint> {
    const saved = this.#sequence.saveRecurrent();
    this.#checkpoint?.[Symbol.dispose]();
    this.#checkpoint = saved;
    const checkpoint: VulkanCheckpoint = {
      position: this.#position,
      bytes: saved.bytes,
      restore: () => saved.restore(),
    };
    return Promise.resolve(checkpoint);
  }

  restore(checkpoint: Checkpoint): Promise<void> {
    (checkpoint as VulkanCheckpoint).restore();
    this.#position = checkpoint.position;
    return Promise.resolve();
  }

  [Symbol.dispose](): void {
    this.#checkpoint?.[Symbol.dispose]();
    for (const buffer of this.#readback.values()) buffer[Symbol.dispose]();
    this.#sampler[Symbol.dispose]();
    this.#sequence[Symbol.dispose]();
  }

  /** Submits up to `count` steps, the first feeding position `position - 1`, as far as one plan serves them. */
  #submitRun(position: number, count: number, tail: PlanTail): { count: number; value: number } {
    const bucket = this.#sequence.bucketFor(position);
    const steps = Math.min(count, bucket - position + 1);
    const plan = this.#sequence.plan(1, 1, bucket, tail);
    return { count: steps, value: this.#sequence.submitNext(plan, steps) };
  }

  /** Copies the result, `[outputs, width]` packed, to memory that the host reads. */
  #readbackTail(rows: number): PlanTail {
    return {
      name: "readback",
      record: (gpu, result) => {
        const bytes = rows * result.width * F32_BYTES;
        const packed = span(result.span.buffer, result.span.offset, bytes);
        gpu.recorder.copy(packed, span(this.#readbackBuffer(rows, bytes), 0, bytes));
        gpu.recorder.hostBarrier();
      },
    };
  }

  #readbackBuffer(rows: number, bytes: number): DeviceBuffer {
    let buffer = this.#readback.get(rows);
    if (!buffer) {
      buffer = this.#device.createBuffer({ label: `result of ${rows} rows`, bytes, kind: "readback" });
      this.#readback.set(rows, buffer);
    }
    return buffer;
  }
}

/** Chooses how many steps to submit at a time, from how long they take. */
class Pace {
  /** Steps of the next submission. */
  steps = 1;
  /** Submissions in flight while tokens are read. */
  ahead = 1;
  #mark = performance.now();
  #first = true;

  /** Notes that a submission of `count` steps is done. */
  done(count: number): void {
    const now = performance.now();
    const stepMs = (now - this.#mark) / count;
    this.#mark = now;
    if (this.#first) {
      this.#first = false; // the first one was the prompt
      return;
    }
    this.steps = Math.min(RUN_MAX, Math.max(1, Math.round(SUBMISSION_MS / stepMs)));
    this.ahead = stepMs > SLOW_STEP_MS ? 1 : 2;
  }
}
