/**
 * The Vulkan executor as an engine: prompts in batches, generation as replays of one recorded step.
 *
 * The device samples and advances by itself, so the host submits several steps ahead and only reads tokens from a ring
 * as the timeline passes. How many steps one submission carries follows from how long a step takes.
 */
import { assert } from "../common/assert.ts";
import type { Pass } from "../graph/builder.ts";
import type { DeviceWeights } from "../graph/device_weights.ts";
import type { Workspace } from "../graph/dry_run.ts";
import type { Plan } from "../graph/plan.ts";
import { type PlanTail, type StepCounters, VulkanSequence } from "../graph/vulkan_sequence.ts";
import { workOf } from "../graph/work.ts";
import type { KernelSet } from "../kernels/kernel_set.ts";
import type { CacheTypes } from "../kernels/cache_types.ts";
import type { Batch } from "../kernels/operation.ts";
import { checkTokens } from "./check_tokens.ts";
import { DeviceSampler } from "./device_sampler.ts";
import type { OpenModel } from "../models/open_model.ts";
import { type Device, type DeviceBuffer, type LabelTime, span } from "../vulkan/mod.ts";
import type { Checkpoint, DecodeOptions, Engine, ForwardOptions } from "./engine.ts";
import { workspaceOf } from "./memory_needs.ts";
import { cacheTypesOf, largestBatch, sequenceBytes } from "./sequence_size.ts";
import { DeviceTrace, traceTokens } from "./token_trace.ts";

const F32_BYTES = 4;
/** A submission carries about this much work, ms: long enough to hide the host, short enough to stop soon. */
const SUBMISSION_MS = 8;
/** Steps of one submission. */
const RUN_MAX = 32;
/** Slower steps than this, ms, are submitted one by one: a second one in flight would only delay a stop. */
const SLOW_STEP_MS = 20;

/**
 * Multiplications and additions of one layer's attention, which is one dispatch: a slow GPU takes less than a second for them. Deep in
 * a long context, that is fewer rows than a batch has.
 */
const ATTENTION_WORK = { gpu: 4e11, cpu: 4e10 };
/** Rows of a batch that are never taken apart. */
const ROWS_MIN = 8;

/** The device and what is on it already. */
export interface VulkanResources {
  readonly device: Device;
  readonly kernels: KernelSet;
  readonly weights: DeviceWeights;
  /** Memory that plans work in, if somebody has found it out already. */
  readonly workspace?: Workspace;
}

/** Choices that follow from the model unless a caller makes others. */
export interface VulkanEngineOptions {
  /** What keys and values are to be stored as; see {@linkcode cacheTypesOf}. */
  readonly cacheTypes?: Partial<CacheTypes>;
  /** Names of fusions to leave out; by default those that the environment switches off. */
  readonly disabledFusions?: ReadonlySet<string>;
  /** Multiplications and additions that a command buffer of a prompt carries. */
  readonly pieceWork?: number;
  /** Multiplications and additions of one layer's attention over a batch. */
  readonly attentionWork?: number;
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
  readonly encode?: (tokens: Int32Array) => Promise<void>;
  readonly #device: Device;
  readonly #sequence: VulkanSequence;
  readonly #sampler: DeviceSampler;
  /** Host-visible memory for results, by their size in bytes. */
  readonly #readback = new Map<number, DeviceBuffer>();
  readonly #pace = new Pace();
  readonly #kernels: KernelSet;
  readonly #model: OpenModel;
  readonly #attentionWork: number;
  /** Most rows of a batch, by the context bucket that it ends in. */
  readonly #rowsByBucket = new Map<number, number>();
  #checkpoint: Disposable | undefined;
  #trace: DeviceTrace | undefined;
  #position = 0;
  #encoderLength = 0;

  constructor(
    model: OpenModel,
    resources: VulkanResources,
    ubatch: number,
    options: VulkanEngineOptions = {},
  ) {
    const { device, kernels, weights, workspace } = resources;
    const { contextLength, family, states: { slots } } = model;
    const { disabledFusions, pieceWork } = options;
    const cacheTypes = cacheTypesOf(model, options.cacheTypes);
    this.#device = device;
    this.#kernels = kernels;
    this.#model = model;
    this.#attentionWork = options.attentionWork ?? ATTENTION_WORK[device.info.isCpu ? "cpu" : "gpu"];
    this.vocab = model.config.vocab;
    this.contextLength = contextLength;
    this.ubatch = family.kind === "encoder" ? largestBatch(model, ubatch) : ubatch;
    this.canRewind = slots.every((slot) => slot.kind === "kv");
    this.stateBytes = sequenceBytes(model, contextLength, cacheTypes);
    this.#sequence = new VulkanSequence({
      device,
      kernels,
      weights,
      slots,
      contextLength,
      ubatch: largestBatch(model, ubatch),
      cacheTypes,
      disabledFusions,
      pieceWork,
      workspace: workspace ?? workspaceOf(model, kernels, { contextLength, ubatch, cacheTypes }),
      build: (tokens, outputs, pass) => model.build(tokens, outputs, pass),
    });
    this.#sampler = new DeviceSampler(device, kernels, this.vocab);
    if (family.encode) this.encode = (tokens) => this.#encode(tokens);
  }

  async forward(batch: Batch, outputs: number, options: ForwardOptions = {}): Promise<Float32Array> {
    const tail = outputs > 0 ? this.#readbackTail(outputs) : undefined;
    const { result: pass, signal } = options;
    const rest = await this.#feedFront(batch, outputs, signal);
    const plan = await this.#run(rest, outputs, { pass, tail, signal });
    this.#position = batch.position + batch.tokens.length;
    if (outputs === 0) return new Float32Array();
    const bytes = outputs * plan.resultWidth * F32_BYTES;
    return new Float32Array(this.#readbackBuffer(bytes).mapped!.slice(0, bytes).buffer);
  }

  async *decode(batch: Batch, options: DecodeOptions): AsyncIterable<number> {
    const { maxTokens, signal, endOfGeneration } = options;
    const tail = this.#sampler.begin(options.sampling, options.history, endOfGeneration);
    const start = batch.position + batch.tokens.length;
    let read = 0;
    let tokens: number[] = [];
    const goesOn = (steps: number) => {
      tokens = [];
      let ended = false;
      for (let i = 0; i < steps && !ended; i++) {
        tokens.push(this.#sampler.token(read++));
        // Steps behind the end have sampled nothing: their entries of the ring hold anything.
        ended = endOfGeneration.has(tokens[i]);
      }
      return !signal?.aborted && !ended;
    };
    try {
      for await (const _ of this.#steps(batch, maxTokens, tail, { goesOn, signal })) {
        for (const token of tokens) {
          yield token;
          if (endOfGeneration.has(token) || signal?.aborted) return;
        }
      }
    } catch (error) {
      if (!isReasonOf(signal, error)) throw error;
    } finally {
      this.#position = start + read - 1;
    }
  }

  /**
   * Feeds `count` tokens of a fixed trace from `position` on, one per step and submitted as generation is, but without choosing any:
   * what a benchmark of generation times.
   */
  async feedTrace(position: number, count: number): Promise<void> {
    const first = { tokens: traceTokens(this.vocab, position, 1), position };
    for await (const _ of this.#steps(first, count, this.#traceTail()));
    this.#position = position + count;
  }

  /**
   * Device time of every dispatch of a step of `tokens` tokens of the trace at `position`. Each runs alone, so that together they take
   * longer than the step does.
   */
  async profile(position: number, tokens: number): Promise<LabelTime[]> {
    const batch = { tokens: traceTokens(this.vocab, position, tokens), position };
    const bucket = this.#sequence.bucketFor(position + tokens);
    const plan = await this.#sequence.plan(tokens, 1, bucket, this.#traceTail(), { profile: true });
    await this.#device.wait(await this.#sequence.submitBatch(batch, plan));
    this.#position = position + tokens;
    return plan.times();
  }

  /** What this engine's sequence has handed to the device so far. */
  get counters(): Readonly<StepCounters> {
    return { ...this.#sequence.counters };
  }

  clear(): void {
    this.#sequence.clear();
    this.#position = 0;
    this.#encoderLength = 0;
  }

  checkpoint(): Promise<Checkpoint> {
    this.#checkpoint?.[Symbol.dispose](); // first: memory for two may not be there
    this.#checkpoint = undefined;
    const saved = this.#sequence.saveRecurrent();
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
    this.#trace?.[Symbol.dispose]();
    this.#sequence[Symbol.dispose]();
  }

  async #encode(tokens: Int32Array): Promise<void> {
    checkTokens(tokens, this, { verb: "encode", what: "text" });
    this.clear();
    await this.#run({ tokens, position: 0 }, 1, { pass: "encode" });
    this.#encoderLength = tokens.length;
  }

  /** Feeds as much of a batch as its attention is too much work, but for the last `outputs` rows; returns the rest. */
  async #feedFront(batch: Batch, outputs: number, signal: AbortSignal | undefined): Promise<Batch> {
    const rows = this.#rowsAt(batch.position + batch.tokens.length);
    let { tokens, position } = batch;
    while (tokens.length > rows && tokens.length - rows >= outputs) {
      await this.#run({ tokens: tokens.subarray(0, rows), position }, 0, { signal });
      tokens = tokens.subarray(rows);
      position += rows;
    }
    return { ...batch, tokens, position };
  }

  /** Most rows of a batch that ends at `end`. All rows of an encoder see each other, so its text stays whole. */
  #rowsAt(end: number): number {
    if (this.#model.family.kind === "encoder") return Infinity;
    const bucket = this.#sequence.bucketFor(end);
    let rows = this.#rowsByBucket.get(bucket);
    if (rows === undefined) {
      const { nodes } = this.#model.build(1, 1);
      const work = nodes.map((node) => node.op === "attention" ? workOf(node, bucket) : 0);
      rows = Math.max(ROWS_MIN, Math.floor(this.#attentionWork / Math.max(1, ...work)));
      this.#rowsByBucket.set(bucket, rows);
    }
    return rows;
  }

  /** Runs one pass to its end. */
  async #run(
    batch: Batch,
    outputs: number,
    { pass, tail, signal }: { pass?: Pass; tail?: PlanTail; signal?: AbortSignal },
  ): Promise<Plan> {
    const bucket = this.#sequence.bucketFor(batch.position + batch.tokens.length);
    const plan = await this.#sequence.plan(batch.tokens.length, outputs, bucket, tail, { pass, signal });
    await this.#device.wait(await this.#submit(batch, plan, signal));
    return plan;
  }

  #submit(batch: Batch, plan: Plan, signal: AbortSignal | undefined): Promise<number> {
    return this.#sequence.submitBatch({ ...batch, encoderLength: this.#encoderLength }, plan, signal);
  }

  /**
   * Runs `batch` and then, some submissions ahead of the host, the steps that follow from it, `count` with the batch. Yields after every
   * submission that is done; before that, `goesOn` hears how many steps it carried and the next ones are submitted.
   */
  async *#steps(
    batch: Batch,
    count: number,
    tail: PlanTail,
    { goesOn = () => true, signal }: { goesOn?: (steps: number) => boolean; signal?: AbortSignal } = {},
  ): AsyncGenerator<void> {
    const start = batch.position + batch.tokens.length;
    const bucket = this.#sequence.bucketFor(start);
    const pace = this.#pace;
    let submitted = 1;
    try {
      const rest = await this.#feedFront(batch, 1, signal);
      const first = await this.#sequence.plan(rest.tokens.length, 1, bucket, tail, { signal });
      const queue = [{ count: 1, value: await this.#submit(rest, first, signal) }];
      pace.start();
      for (let run = queue.shift(); run; run = queue.shift()) {
        await this.#device.wait(run.value);
        pace.done(run.count);
        const more = goesOn(run.count);
        // The next steps start before the caller sees these, so that the device never waits for the host.
        while (more && queue.length < pace.ahead && submitted < count) {
          const steps = Math.min(pace.steps, count - submitted);
          const next = await this.#submitRun(start + submitted, steps, tail, signal);
          if (!next) break;
          queue.push(next);
          submitted += next.count;
        }
        yield;
      }
    } finally {
      await this.#device.wait(this.#device.submitted);
    }
  }

  #traceTail(): PlanTail {
    this.#trace ??= new DeviceTrace(this.#device, this.#kernels, this.vocab);
    return this.#trace.tail;
  }

  /** Submits up to `count` steps, the first feeding position `position - 1`, as far as one plan serves them; none when aborted. */
  async #submitRun(
    position: number,
    count: number,
    tail: PlanTail,
    signal: AbortSignal | undefined,
  ): Promise<{ count: number; value: number } | undefined> {
    const bucket = this.#sequence.bucketFor(position);
    const steps = Math.min(count, bucket - position + 1);
    try {
      const plan = await this.#sequence.plan(1, 1, bucket, tail, { signal });
      return { count: steps, value: this.#sequence.submitNext(plan, steps) };
    } catch (error) {
      if (isReasonOf(signal, error)) return undefined;
      throw error;
    }
  }

  /** Copies the result, `[outputs, width]` packed, to memory that the host reads. */
  #readbackTail(rows: number): PlanTail {
    return {
      name: "readback",
      record: (gpu, result) => {
        assert(result.stride === result.width, "the rows of a result follow each other");
        const bytes = rows * result.width * F32_BYTES;
        const packed = span(result.span.buffer, result.span.offset, bytes);
        gpu.recorder.copy(packed, span(this.#readbackBuffer(bytes), 0, bytes));
        gpu.recorder.hostBarrier();
      },
    };
  }

  #readbackBuffer(bytes: number): DeviceBuffer {
    let buffer = this.#readback.get(bytes);
    if (!buffer) {
      buffer = this.#device.createBuffer({ label: "result", bytes, kind: "readback" });
      this.#readback.set(bytes, buffer);
    }
    return buffer;
  }
}

function isReasonOf(signal: AbortSignal | undefined, error: unknown): boolean {
  return signal !== undefined && signal.aborted && error === signal.reason;
}

/** Chooses how many steps to submit at a time, from how long they take. */
class Pace {
  /** Steps of the next submission. */
  steps = 1;
  /** Submissions in flight while tokens are read. */
  ahead = 1;
  #mark = 0;
  #first = true;

  /** Begins a generation, at the pace of the last one. */
  start(): void {
    this.#mark = performance.now();
    this.#first = true;
  }

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
