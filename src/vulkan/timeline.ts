/**
 * The queue and its timeline: every submission gets the next value of one counting semaphore, and the semaphore's value
 * says how far the device has come. Submitting and polling are cheap (their structs are prepared once); waiting never
 * blocks the event loop.
 */
import { Arena } from "../../ffi/arena.ts";
import { RESULT, resultName, SEMAPHORE_TYPE } from "../../ffi/enums.ts";
import type { VulkanFunctions } from "../../ffi/functions.ts";
import { readU64 } from "../../ffi/read.ts";
import {
  SemaphoreCreateInfo,
  SemaphoreTypeCreateInfo,
  SemaphoreWaitInfo,
  SubmitInfo,
  TimelineSemaphoreSubmitInfo,
} from "../../ffi/structs/device.ts";
import { assert } from "../common/assert.ts";
import { check, DeviceLostError } from "./result.ts";

/** Options of a wait. */
export interface WaitOptions {
  /** Ends the wait with the signal's reason; the device goes on working. */
  signal?: AbortSignal;
}

/** Most command buffers of one submission. */
const SUBMIT_MAX = 256;
/** A non-blocking call costs about 48 µs, so short work is worth polling for: where the last work took no longer than this. */
const POLL_MS = 0.05;
const POLLED_WORK_MS = 5;
/** Longest time that one non-blocking wait occupies a thread of Deno's pool. */
const SLICE_NS = 50_000_000n;
/** Waits at a time: the pool has 32 threads and serves file access too. */
const SLICES_MAX = 2;
/** Waits that end by polling alone still let timers and signals in this often. */
const YIELD_MS = 10;
/** A device without any progress for this long is taken for hung, although no driver said so. */
const STALL_MS = { hardware: 120_000, cpu: 1_800_000 };

/** Faults that tests script through the environment. */
interface Faults {
  /** `ZINC_FAULT_DEVICE_LOST_AT_SUBMIT`: number of the submission, from 1, that loses the device. */
  lostAtSubmit: number;
  /** `ZINC_FAULT_SLOW_SUBMIT_MS`: least time that a submission seems to take. */
  slowSubmitMs: number;
}

/** A non-blocking wait that may be in flight; its memory outlives the call. */
interface Slice {
  arena: Arena;
  info: Uint8Array;
  value: DataView;
  pending: Promise<void> | null;
}

/** Submission and completion on one queue. */
export class Timeline implements Disposable {
  readonly #vk: VulkanFunctions;
  readonly #device: bigint;
  readonly #queue: bigint;
  readonly #name: string;
  readonly #stallMs: number;
  readonly #semaphore: bigint;
  readonly #arena = new Arena();
  readonly #submitInfo: Uint8Array;
  readonly #submitView: DataView;
  readonly #handles: BigUint64Array;
  readonly #signalValue: BigUint64Array;
  readonly #counter: BigUint64Array;
  readonly #counterBytes: Uint8Array;
  readonly #slices: Slice[];
  readonly #faults: Faults = {
    lostAtSubmit: Number(Deno.env.get("ZINC_FAULT_DEVICE_LOST_AT_SUBMIT") ?? 0),
    slowSubmitMs: Number(Deno.env.get("ZINC_FAULT_SLOW_SUBMIT_MS") ?? 0),
  };
  #slowUntil: { value: number; time: number }[] = [];
  #submitted = 0;
  #completed = 0;
  #lastProgress = performance.now();
  #lastYield = performance.now();
  #lost: DeviceLostError | null = null;
  #stalled = false;
  #idleMs = 0;
  #lastWaitMs = 0;

  /** For `queue` of `device`. */
  constructor(vk: VulkanFunctions, options: { device: bigint; queue: bigint; name: string; isCpu: boolean }) {
    this.#vk = vk;
    this.#device = options.device;
    this.#queue = options.queue;
    this.#name = options.name;
    this.#stallMs = options.isCpu ? STALL_MS.cpu : STALL_MS.hardware;
    const arena = this.#arena;
    const handle = arena.alloc(8);
    const type = arena.struct(SemaphoreTypeCreateInfo, { semaphoreType: SEMAPHORE_TYPE.TIMELINE });
    const info = arena.struct(SemaphoreCreateInfo, { pNext: type });
    check(vk.vkCreateSemaphore(this.#device, info, null, handle), "create a timeline semaphore");
    this.#semaphore = readU64(handle);

    const signalValue = arena.alloc(8);
    const handles = arena.alloc(SUBMIT_MAX * 8);
    this.#submitInfo = arena.struct(SubmitInfo, {
      pNext: arena.struct(TimelineSemaphoreSubmitInfo, {
        signalSemaphoreValueCount: 1,
        pSignalSemaphoreValues: signalValue,
      }),
      pCommandBuffers: handles,
      signalSemaphoreCount: 1,
      pSignalSemaphores: handle,
    });
    this.#submitView = viewOf(this.#submitInfo);
    this.#handles = new BigUint64Array(handles.buffer, handles.byteOffset, SUBMIT_MAX);
    this.#signalValue = new BigUint64Array(signalValue.buffer, signalValue.byteOffset, 1);
    this.#counterBytes = arena.alloc(8);
    this.#counter = new BigUint64Array(this.#counterBytes.buffer, this.#counterBytes.byteOffset, 1);
    this.#slices = Array.from({ length: SLICES_MAX }, () => this.#createSlice());
  }

  /** Value of the latest submission; 0 before the first. */
  get submitted(): number {
    return this.#submitted;
  }

  /** Whether the device is gone; everything fails from then on. */
  get lost(): boolean {
    return this.#lost !== null;
  }

  /** Whether the device was given up because it made no progress, rather than reported lost. */
  get stalled(): boolean {
    return this.#stalled;
  }

  /** Time that waits have left the thread free for other work, ms. */
  get idleMs(): number {
    return this.#idleMs;
  }

  /** Submits command buffers, in order, and returns the value that the timeline has once all are done. */
  submit(commandBuffers: readonly { readonly handle: bigint }[]): number {
    this.#throwIfLost();
    assert(commandBuffers.length <= SUBMIT_MAX, `${commandBuffers.length} command buffers in one submission`);
    for (let i = 0; i < commandBuffers.length; i++) this.#handles[i] = commandBuffers[i].handle;
    this.#submitView.setUint32(SubmitInfo.offsets.commandBufferCount, commandBuffers.length, true);
    const value = this.#submitted + 1;
    this.#signalValue[0] = BigInt(value);
    if (value === this.#faults.lostAtSubmit) throw this.#lose("scripted fault");
    this.#checkResult(
      this.#vk.vkQueueSubmit(this.#queue, 1, this.#submitInfo, 0n),
      "submit work to the device",
    );
    if (this.#completed === this.#submitted) this.#lastProgress = performance.now();
    this.#submitted = value;
    if (this.#faults.slowSubmitMs > 0) {
      const start = Math.max(performance.now(), this.#slowUntil.at(-1)?.time ?? 0);
      this.#slowUntil.push({ value, time: start + this.#faults.slowSubmitMs });
    }
    return value;
  }

  /** Value that the device has reached; does not wait. */
  completed(): number {
    if (this.#completed === this.#submitted) return this.#completed;
    this.#throwIfLost();
    this.#checkResult(
      this.#vk.vkGetSemaphoreCounterValue(this.#device, this.#semaphore, this.#counterBytes),
      "ask the device for its progress",
    );
    let value = Number(this.#counter[0]);
    // NVIDIA and others answer with the largest value when the device is lost.
    if (value > this.#submitted) throw this.#lose("timeline out of range");
    if (this.#faults.slowSubmitMs > 0) value = this.#slowed(value);
    if (value > this.#completed) {
      this.#completed = value;
      this.#lastProgress = performance.now();
    }
    return this.#completed;
  }

  /** Resolves once the device has reached `value`. */
  async wait(value: number, { signal }: WaitOptions = {}): Promise<void> {
    assert(
      value <= this.#submitted,
      `waiting for submission ${value}, but only ${this.#submitted} were made`,
    );
    signal?.throwIfAborted();
    if (this.#poll(value)) {
      if (performance.now() - this.#lastYield > YIELD_MS) await this.#yield();
      return;
    }
    const began = performance.now();
    while (this.completed() < value) {
      if (performance.now() - this.#lastProgress > this.#stallMs) {
        this.#stalled = true;
        throw this.#lose(`no progress for ${this.#stallMs / 1000} s`);
      }
      const start = performance.now();
      await this.#waitSlice(value);
      this.#lastYield = performance.now();
      this.#idleMs += this.#lastYield - start;
      signal?.throwIfAborted();
    }
    this.#lastWaitMs = performance.now() - began;
  }

  /** Resolves when no non-blocking wait is in flight any more. */
  async idle(): Promise<void> {
    await Promise.all(this.#slices.map((slice) => slice.pending));
  }

  /** Whether a non-blocking wait is in flight. */
  get waiting(): boolean {
    return this.#slices.some((slice) => slice.pending !== null);
  }

  /** Destroys the semaphore. Nothing may be pending. */
  [Symbol.dispose](): void {
    this.#vk.vkDestroySemaphore(this.#device, this.#semaphore, null);
    this.#slices.forEach((slice) => slice.arena[Symbol.dispose]());
    this.#arena[Symbol.dispose]();
  }

  #poll(value: number): boolean {
    const pollMs = this.#lastWaitMs > POLLED_WORK_MS ? 0 : POLL_MS;
    const start = performance.now();
    do {
      if (this.completed() >= value) return true;
    } while (performance.now() - start < pollMs);
    return false;
  }

  async #yield(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#lastYield = performance.now();
  }

  /** Waits up to one slice for `value`, or for another slice when all are taken. */
  async #waitSlice(value: number): Promise<void> {
    const until = this.#slowUntil[0];
    if (until !== undefined) {
      const ms = Math.max(0, Math.min(until.time - performance.now(), 50));
      return await new Promise((resolve) => setTimeout(resolve, ms));
    }
    const slice = this.#slices.find((s) => s.pending === null);
    if (slice === undefined) return await Promise.race(this.#slices.map((s) => s.pending!));
    slice.value.setBigUint64(0, BigInt(value), true);
    slice.pending = this.#vk.vkWaitSemaphoresAsync(this.#device, slice.info, SLICE_NS).then((result) => {
      slice.pending = null;
      this.#checkResult(result, "wait for the device");
    });
    await slice.pending;
  }

  #createSlice(): Slice {
    const arena = new Arena();
    const value = arena.alloc(8);
    const info = arena.struct(SemaphoreWaitInfo, {
      semaphoreCount: 1,
      pSemaphores: arena.u64s([this.#semaphore]),
      pValues: value,
    });
    return { arena, info, value: viewOf(value), pending: null };
  }

  #slowed(value: number): number {
    const now = performance.now();
    while (
      this.#slowUntil.length > 0 && this.#slowUntil[0].time <= now && this.#slowUntil[0].value <= value
    ) {
      this.#slowUntil.shift();
    }
    return this.#slowUntil.length > 0 ? Math.min(value, this.#slowUntil[0].value - 1) : value;
  }

  #checkResult(result: number, doing: string): void {
    if (result === RESULT.ERROR_DEVICE_LOST) throw this.#lose(resultName(result));
    check(result, doing);
  }

  #throwIfLost(): void {
    if (this.#lost !== null) throw this.#lost;
  }

  #lose(reason: string): DeviceLostError {
    return this.#lost ??= new DeviceLostError(
      `Cannot go on: the device "${this.#name}" was lost (${reason}); a submission may have run too long: lower ` +
        "--ubatch, and look for driver errors with dmesg",
    );
  }
}

function viewOf(memory: Uint8Array): DataView {
  return new DataView(memory.buffer, memory.byteOffset, memory.byteLength);
}
