/**
 * One sequence of tokens on a Vulkan device: its state, its step buffer, and the plans that advance it.
 *
 * A plan is recorded the first time its shape is needed and replayed afterwards. Submissions follow each other on the
 * device's timeline without waiting for the host; a small ring of staging slots carries what the host has to say about a step.
 */
import { assert } from "../common/assert.ts";
import type { KernelSet } from "../kernels/kernel_set.ts";
import type { Batch, DeviceMatrix, GpuContext, StateSlot } from "../kernels/operation.ts";
import { STEP_HEADER_BYTES, stepBytes, writeStep } from "../kernels/step_buffer.ts";
import {
  type CommandBuffer,
  type Device,
  type DeviceBuffer,
  Recorder,
  type Span,
  span,
} from "../vulkan/mod.ts";
import type { Graph } from "./builder.ts";
import { fuse } from "./fuse.ts";
import type { DeviceWeights } from "./device_weights.ts";
import { type Plan, type PlanResources, recordPlan } from "./plan.ts";

/** Bytes of a cached key or value element: float16. */
const KV_ELEMENT_BYTES = 2;
/** Bytes of a recurrent state element: float32. */
const RECURRENT_ELEMENT_BYTES = 4;
/** Steps that the host can describe before the device has started the first. */
const STAGING_SLOTS = 8;
/** Smallest context bucket, positions. */
const SMALLEST_BUCKET = 256;
/** Plans kept: decode buckets, and the prompt sizes met lately. */
const PLANS_MAX = 32;

/** What a sequence runs. */
export interface SequenceOptions {
  readonly device: Device;
  readonly kernels: KernelSet;
  readonly weights: DeviceWeights;
  readonly slots: readonly StateSlot[];
  readonly contextLength: number;
  readonly ubatch: number;
  build(tokens: number, outputs: number): Graph;
}

/** What ends a plan: recorded behind the graph, under a name that tells it from others of the same shape. */
export interface PlanTail {
  readonly name: string;
  record(gpu: GpuContext, result: DeviceMatrix): void;
}

interface StagingSlot {
  readonly view: DataView;
  readonly copy: CommandBuffer;
  /** Timeline value after which the slot is free. */
  busyUntil: number;
}

/** Bytes of device memory that the state of one sequence takes. */
export function stateBytes(slots: readonly StateSlot[], contextLength: number): number {
  return slots.reduce((sum, slot) => sum + slotBytes(slot, contextLength), 0);
}

function slotBytes(slot: StateSlot, contextLength: number): number {
  return slot.kind === "kv"
    ? slot.width * contextLength * KV_ELEMENT_BYTES
    : slot.width * RECURRENT_ELEMENT_BYTES;
}

/** A sequence's device side. Everything it owns is freed with it. */
export class VulkanSequence implements Disposable {
  /** The step buffer; samplers advance it. */
  readonly step: Span;
  readonly #options: SequenceOptions;
  readonly #owned = new DisposableStack();
  readonly #states: readonly { span: Span; elementBytes: number }[];
  readonly #plans = new Map<string, Plan>();
  readonly #staging: StagingSlot[];
  readonly #clearRecurrent: CommandBuffer;
  readonly #growing = {
    arena: undefined as DeviceBuffer | undefined,
    scratch: undefined as DeviceBuffer | undefined,
  };
  #nextSlot = 0;

  constructor(options: SequenceOptions) {
    this.#options = options;
    const { device, slots, contextLength, ubatch } = options;
    const buffer = (label: string, bytes: number, kind: "activations" | "staging") =>
      this.#owned.use(device.createBuffer({ label, bytes, kind }));
    this.step = span(buffer("step", stepBytes(ubatch), "activations"));
    this.#states = slots.map((slot) => ({
      span: span(buffer(slot.name, slotBytes(slot, contextLength), "activations")),
      elementBytes: slot.kind === "kv" ? KV_ELEMENT_BYTES : RECURRENT_ELEMENT_BYTES,
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

  /** The plan for `tokens` rows, `outputs` of them read, serving positions below `bucket`, ended by `tail`. */
  plan(tokens: number, outputs: number, bucket: number, tail?: PlanTail): Plan {
    const key = `${tokens}/${outputs}/${bucket}/${tail?.name ?? ""}`;
    let plan = this.#plans.get(key);
    if (plan) this.#plans.delete(key); // to the end: most recently used
    else plan = this.#recordPlan(key, tokens, outputs, bucket, tail);
    this.#plans.set(key, plan);
    this.#dropOldPlans();
    return plan;
  }

  /** Describes a step to the device and runs `plan` on it. Returns the timeline's value at its end. */
  async submitBatch(batch: Batch, plan: Plan): Promise<number> {
    const { device } = this.#options;
    const slot = this.#staging[this.#nextSlot];
    this.#nextSlot = (this.#nextSlot + 1) % STAGING_SLOTS;
    await device.wait(slot.busyUntil);
    writeStep(slot.view, batch.position, batch.tokens);
    slot.busyUntil = device.submit([slot.copy, plan.commandBuffer]);
    return slot.busyUntil;
  }

  /** Runs `plan` `count` times more, each time on the step that the one before left behind. */
  submitNext(plan: Plan, count: number): number {
    return this.#options.device.submit(new Array<CommandBuffer>(count).fill(plan.commandBuffer));
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

  #recordPlan(key: string, tokens: number, outputs: number, bucket: number, tail?: PlanTail): Plan {
    const { build, device, kernels, weights } = this.#options;
    const resources: PlanResources = {
      device,
      kernels,
      step: this.step,
      weight: (weight) => weights.get(weight),
      state: (slot) => this.#states[slot.id],
      arena: (bytes) => this.#grow("arena", bytes),
      scratch: (bytes) => this.#grow("scratch", bytes),
    };
    return recordPlan(fuse(build(tokens, outputs)), resources, {
      label: key,
      contextBucket: bucket,
      tail: tail && ((gpu, result) => tail.record(gpu, result)),
    });
  }

  /** Plans recorded before keep the smaller buffer alive; nothing in either outlives a step. */
  #grow(which: "arena" | "scratch", bytes: number): DeviceBuffer {
    const present = this.#growing[which];
    if (present && present.bytes >= bytes) return present;
    present?.[Symbol.dispose]();
    const size = Math.max(bytes, STEP_HEADER_BYTES, 2 * (present?.bytes ?? 0));
    return this.#growing[which] = this.#options.device.createBuffer({
      label: which,
      bytes: size,
      kind: "activations",
    });
  }

  #dropOldPlans(): void {
    for (const [key, plan] of this.#plans) {
      if (this.#plans.size <= PLANS_MAX) return;
      this.#plans.delete(key);
      plan[Symbol.dispose]();
    }
  }

  #record(label: string, record: (recorder: Recorder) => void): CommandBuffer {
    using recorder = new Recorder(this.#options.device, { label });
    record(recorder);
    return this.#owned.use(recorder.finish());
  }
}
