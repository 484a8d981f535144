/**
 * One sequence of tokens on a Vulkan device: its state, its step buffer, and the plans that advance it.
 *
 * A plan is recorded the first time its shape is needed and replayed afterwards. Submissions follow each other on the
 * device's timeline without waiting for the host; a small ring of staging slots carries what the host has to say about a step.
 */
import { assert } from "../common/assert.ts";
import type { KernelSet } from "../kernels/kernel_set.ts";
import type { CacheTypes } from "../kernels/cache_types.ts";
import { cacheRowBytes, cacheTypeOfSlot } from "../kernels/kv_cache.ts";
import type { Batch, DeviceMatrix, DeviceState, GpuContext, StateSlot } from "../kernels/operation.ts";
import { STEP_HEADER_BYTES, stepBytes, writeStep } from "../kernels/step_buffer.ts";
import {
  type CommandBuffer,
  type Device,
  type DeviceBuffer,
  Recorder,
  type Span,
  span,
} from "../vulkan/mod.ts";
import type { Graph, Pass } from "./builder.ts";
import type { Workspace } from "./dry_run.ts";
import { fuse } from "./fuse.ts";
import type { DeviceWeights } from "./device_weights.ts";
import { PieceRunner } from "./piece_runner.ts";
import { type Plan, type PlanOptions, type PlanResources, recordPlan, TICKETS_BYTES } from "./plan.ts";

/** What keys and values are stored as where the caller does not say otherwise. */
const DEFAULT_CACHE_TYPES: CacheTypes = { keys: "f16", values: "f16" };
/** Steps that the host can describe before the device has started the first. */
const STAGING_SLOTS = 8;
/** Smallest context bucket, positions. */
const SMALLEST_BUCKET = 256;
/**
 * Multiplications and additions of one piece of a prompt: a slow GPU takes a second for them. A CPU has no watchdog, but whoever
 * stops it waits for a piece.
 */
const PIECE_WORK = { gpu: 1e11, cpu: 1e10 };
/** Plans kept: decode buckets, and the prompt sizes met lately. */
const PLANS_MAX = 32;

/** What a sequence runs. */
export interface SequenceOptions {
  readonly device: Device;
  readonly kernels: KernelSet;
  readonly weights: DeviceWeights;
  readonly slots: readonly StateSlot[];
  readonly contextLength: number;
  /** Tokens of the largest batch. */
  readonly ubatch: number;
  /** Float16 by default. */
  readonly cacheTypes?: CacheTypes;
  /** Names of fusions to leave out; by default those that the environment switches off. */
  readonly disabledFusions?: ReadonlySet<string>;
  /** Memory that the largest plans work in, taken at once: what grows bit by bit takes more. By default it grows. */
  readonly workspace?: Workspace;
  /** Multiplications and additions that a command buffer of a prompt carries; what the device can take by default. */
  readonly pieceWork?: number;
  build(tokens: number, outputs: number, pass: Pass): Graph;
}

/** What ends a plan: recorded behind the graph, under a name that tells it from others of the same shape. */
export interface PlanTail {
  readonly name: string;
  record(gpu: GpuContext, result: DeviceMatrix): void;
}

/** What a sequence has handed to the device since it was made. */
export interface StepCounters {
  /** Replays of plans. */
  steps: number;
  dispatches: number;
  barriers: number;
}

interface StagingSlot {
  readonly view: DataView;
  readonly copy: CommandBuffer;
  /** Timeline value after which the slot is free. */
  busyUntil: number;
}

/** Bytes of device memory that the state of one sequence takes. */
export function stateBytes(slots: readonly StateSlot[], contextLength: number, types: CacheTypes): number {
  return slots.reduce((sum, slot) => sum + slotBytes(slot, contextLength, types), 0);
}

/** Bytes that a sequence takes besides its state and the workspace of its plans. */
export function overheadBytes(ubatch: number): number {
  return (1 + STAGING_SLOTS) * stepBytes(ubatch) + TICKETS_BYTES;
}

function slotBytes(slot: StateSlot, contextLength: number, types: CacheTypes): number {
  const rows = slot.kind === "kv" ? contextLength : 1;
  return rows * cacheRowBytes(cacheTypeOfSlot(slot, types), slot.width);
}

/** A sequence's device side. Everything it owns is freed with it. */
export class VulkanSequence implements Disposable {
  /** The step buffer; samplers advance it. */
  readonly step: Span;
  /** Grows with every submission. */
  readonly counters: StepCounters = { steps: 0, dispatches: 0, barriers: 0 };
  readonly #options: SequenceOptions;
  readonly #owned = new DisposableStack();
  readonly #states: readonly DeviceState[];
  readonly #plans = new Map<string, Plan>();
  readonly #staging: StagingSlot[];
  readonly #pieces: PieceRunner;
  readonly #tickets: Span;
  readonly #clearRecurrent: CommandBuffer;
  readonly #growing = {
    arena: undefined as DeviceBuffer | undefined,
    scratch: undefined as DeviceBuffer | undefined,
  };
  #nextSlot = 0;

  constructor(options: SequenceOptions) {
    this.#options = options;
    const { device, slots, contextLength, ubatch, cacheTypes = DEFAULT_CACHE_TYPES } = options;
    const buffer = (label: string, bytes: number, kind: "activations" | "staging") =>
      this.#owned.use(device.createBuffer({ label, bytes, kind }));
    this.step = span(buffer("step", stepBytes(ubatch), "activations"));
    this.#states = slots.map((slot) => ({
      span: span(buffer(slot.name, slotBytes(slot, contextLength, cacheTypes), "activations")),
      type: cacheTypeOfSlot(slot, cacheTypes),
    }));
    this.#staging = Array.from({ length: STAGING_SLOTS }, (_, i) => {
      const staging = buffer(`step staging ${i}`, stepBytes(ubatch), "staging");
      const mapped = staging.mapped;
      assert(mapped, "staging memory is visible to the host");
      return {
        view: new DataView(mapped.buffer, mapped.byteOffset, mapped.byteLength),
        copy: this.#record(`step ${i}`, (recorder) => recorder.copy(span(staging), this.step)),
        busyUntil: 0,
      };
    });
    this.#pieces = new PieceRunner(device);
    this.#tickets = span(buffer("tickets", TICKETS_BYTES, "activations"));
    using zero = this.#recordOnce("clear tickets", (recorder) => recorder.fill(this.#tickets, 0));
    device.submit([zero]);
    this.#clearRecurrent = this.#record("clear state", (recorder) => {
      for (const [i, { span: state }] of this.#states.entries()) {
        if (slots[i].kind === "recurrent") recorder.fill(state, 0);
      }
    });
    this.clear();
  }

  /** Smallest power of two of positions that holds `end`, within the context. */
  bucketFor(end: number): number {
    assert(end <= this.#options.contextLength, `position ${end} lies beyond the context`);
    let bucket = SMALLEST_BUCKET;
    while (bucket < end) bucket *= 2;
    return Math.min(bucket, this.#options.contextLength);
  }

  /**
   * The plan of a pass (to the logits by default) over `tokens` rows, `outputs` of them read, serving positions below `bucket`, ended by
   * `tail`. One that is to be profiled times every dispatch, which keeps them from overlapping. The first of its shape may have kernels to
   * compile; `signal` ends that.
   */
  async plan(
    tokens: number,
    outputs: number,
    bucket: number,
    tail?: PlanTail,
    options: { readonly pass?: Pass; readonly profile?: boolean; readonly signal?: AbortSignal } = {},
  ): Promise<Plan> {
    const { pass = "logits", profile = false, signal } = options;
    const { device, pieceWork = PIECE_WORK[device.info.isCpu ? "cpu" : "gpu"] } = this.#options;
    const key = `${pass}/${tokens}/${outputs}/${bucket}/${tail?.name ?? ""}${profile ? "/profile" : ""}`;
    let plan = this.#plans.get(key);
    if (plan) this.#plans.delete(key); // to the end: most recently used
    else {
      plan = await this.#recordPlan(this.#options.build(tokens, outputs, pass), {
        label: key,
        contextBucket: bucket,
        profile,
        // Generation replays one command buffer: a token is never too much work.
        pieceWork: tokens > 1 ? pieceWork : undefined,
        tail: tail && ((gpu, result) => tail.record(gpu, result)),
        signal,
      });
    }
    this.#plans.set(key, plan);
    this.#dropOldPlans();
    return plan;
  }

  /**
   * Describes a step to the device and runs `plan` on it. Returns the timeline's value at its end.
   *
   * @throws the reason of `signal` when it is aborted between two pieces of a large plan.
   */
  async submitBatch(batch: Batch, plan: Plan, signal?: AbortSignal): Promise<number> {
    const { device } = this.#options;
    const slot = this.#staging[this.#nextSlot];
    this.#nextSlot = (this.#nextSlot + 1) % STAGING_SLOTS;
    await device.wait(slot.busyUntil);
    writeStep(slot.view, batch.position, batch.tokens, { encoderLength: batch.encoderLength });
    this.#count(plan, 1);
    const { pieces } = plan;
    slot.busyUntil = pieces.length === 1
      ? device.submit([slot.copy, pieces[0].commandBuffer])
      : await this.#pieces.run(slot.copy, pieces, signal);
    return slot.busyUntil;
  }

  /** Runs `plan` `count` times more, each time on the step that the one before left behind. */
  submitNext(plan: Plan, count: number): number {
    const [{ commandBuffer }, ...others] = plan.pieces;
    assert(others.length === 0, "a step that is replayed is one command buffer");
    this.#count(plan, count);
    return this.#options.device.submit(new Array<CommandBuffer>(count).fill(commandBuffer));
  }

  /** Zeroes recurrent state; what lies in the cache beyond the next position is never read. */
  clear(): void {
    this.#options.device.submit([this.#clearRecurrent]);
  }

  /** Copies all recurrent state into memory of its own. */
  saveRecurrent(): { readonly bytes: number; restore(): void; [Symbol.dispose](): void } {
    const { device, slots } = this.#options;
    const recurrent = this.#states.filter((_, i) => slots[i].kind === "recurrent").map(({ span }) => span);
    const bytes = recurrent.reduce((sum, part) => sum + part.bytes, 0);
    using stack = new DisposableStack();
    const copies = recurrent.map((part) => ({
      live: part,
      saved: span(
        stack.use(device.createBuffer({ label: "checkpoint", bytes: part.bytes, kind: "activations" })),
      ),
    }));
    const commands = (label: string, record: (recorder: Recorder) => void) => {
      using recorder = new Recorder(device, { label });
      record(recorder);
      return stack.use(recorder.finish());
    };
    const save = commands(
      "save state",
      (recorder) => copies.forEach(({ live, saved }) => recorder.copy(live, saved)),
    );
    const load = commands(
      "load state",
      (recorder) => copies.forEach(({ live, saved }) => recorder.copy(saved, live)),
    );
    device.submit([save]);
    const owned = stack.move();
    return {
      bytes,
      restore: () => void device.submit([load]),
      [Symbol.dispose]: () => owned[Symbol.dispose](),
    };
  }

  [Symbol.dispose](): void {
    for (const plan of this.#plans.values()) plan[Symbol.dispose]();
    this.#plans.clear();
    this.#growing.arena?.[Symbol.dispose]();
    this.#growing.scratch?.[Symbol.dispose]();
    this.#owned[Symbol.dispose]();
  }

  #recordPlan(graph: Graph, options: PlanOptions): Promise<Plan> {
    const { device, kernels, weights, disabledFusions } = this.#options;
    const resources: PlanResources = {
      device,
      kernels,
      step: this.step,
      weight: (weight) => weights.get(weight),
      state: (slot) => this.#states[slot.id],
      arena: (bytes) => this.#grow("arena", bytes),
      scratch: (bytes) => this.#grow("scratch", bytes),
      tickets: this.#tickets,
    };
    return recordPlan(fuse(graph, disabledFusions), resources, options);
  }

  /** Plans recorded before keep the smaller buffer alive; nothing in either outlives a step. */
  #grow(which: "arena" | "scratch", bytes: number): DeviceBuffer {
    const present = this.#growing[which];
    if (present && present.bytes >= bytes) return present;
    present?.[Symbol.dispose]();
    const { arenaBytes = 0, scratchBytes = 0 } = this.#options.workspace ?? {};
    const expected = present ? 2 * present.bytes : which === "arena" ? arenaBytes : scratchBytes;
    const size = Math.max(bytes, STEP_HEADER_BYTES, expected);
    return this.#growing[which] = this.#options.device.createBuffer({
      label: which,
      bytes: size,
      kind: "activations",
    });
  }

  #count(plan: Plan, times: number): void {
    this.counters.steps += times;
    this.counters.dispatches += times * plan.dispatches;
    this.counters.barriers += times * plan.barriers;
  }

  #dropOldPlans(): void {
    for (const [key, plan] of this.#plans) {
      if (this.#plans.size <= PLANS_MAX) return;
      this.#plans.delete(key);
      plan[Symbol.dispose]();
    }
  }

  #record(label: string, record: (recorder: Recorder) => void): CommandBuffer {
    return this.#owned.use(this.#recordOnce(label, record));
  }

  #recordOnce(label: string, record: (recorder: Recorder) => void): CommandBuffer {
    using recorder = new Recorder(this.#options.device, { label });
    record(recorder);
    return recorder.finish();
  }
}
