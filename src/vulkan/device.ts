/** The logical device: owner of the queue, the memory, the pipelines and the timeline. */
import { Arena } from "../../ffi/arena.ts";
import { PIPELINE_CREATE, QUERY_TYPE } from "../../ffi/enums.ts";
import type { VulkanFunctions } from "../../ffi/functions.ts";
import { readU64 } from "../../ffi/read.ts";
import { CommandPoolCreateInfo, QueryPoolCreateInfo } from "../../ffi/structs/command.ts";
import { assert } from "../common/assert.ts";
import type { Adapter } from "./adapter.ts";
import { DeviceBuffer, type Span, span } from "./buffer.ts";
import type { CommandBuffer } from "./command_buffer.ts";
import {
  type CreatedDevice,
  createLogicalDevice,
  createLogicalDeviceAside,
  type OptionalFeature,
} from "./create_device.ts";
import { chooseQueueFamily, describeDevice, type DeviceInfo } from "./device_info.ts";
import { type Allocation, Allocator, type BufferKind } from "./memory.ts";
import type { MemoryBudget } from "./memory_types.ts";
import { type ComputePipeline, PipelineBuilder, type PipelineOptions } from "./pipeline.ts";
import { type PipelineStatistic, pipelineStatistics } from "./pipeline_statistics.ts";
import { PipelineCache } from "./pipeline_cache.ts";
import { Recorder } from "./recorder.ts";
import { check } from "./result.ts";
import { Timeline, type WaitOptions } from "./timeline.ts";

/** Options of {@linkcode Device.create}. */
export interface DeviceOptions {
  /** Optional features to do without, as if the device did not report them. */
  without?: OptionalFeature[];
  /** Have the driver keep compiler statistics of pipelines. */
  pipelineStatistics?: boolean;
  /** Map weights and activations where their memory allows it, which saves a copy. Default true. */
  mapDeviceMemory?: boolean;
  /** Told after each pipeline that {@linkcode Device.compile} has compiled, how many of `total` are done. */
  onCompile?: (done: number, total: number) => void;
}

/** Bytes that are NaN as float16 and float32, and the largest number as integers. */
const POISON = 0xff;

/** A device that runs kernels. */
export class Device implements Disposable, AsyncDisposable {
  /** Function table. */
  readonly vk: VulkanFunctions;
  /** What it was made from. */
  readonly adapter: Adapter;
  /** `VkDevice`. */
  readonly handle: bigint;
  /** `VkCommandPool`. */
  readonly commandPool: bigint;
  /** What kernels need to know. */
  readonly info: DeviceInfo;
  readonly #owned: DisposableStack;
  readonly #timeline: Timeline;
  readonly #allocator: Allocator;
  readonly #cache: PipelineCache;
  readonly #pipelines: PipelineBuilder;
  readonly #onCompile: DeviceOptions["onCompile"];
  /** `ZINC_FAULT_POISON_MEMORY=1`: mapped buffers begin as what no kernel may have read: NaN, or the largest number. */
  readonly #poisoned = Deno.env.get("ZINC_FAULT_POISON_MEMORY") === "1";
  /** What may be freed once the timeline has reached a value, in order of values. */
  readonly #retired: { value: number; free: () => void }[] = [];
  readonly #queryPools = new Set<bigint>();
  #liveObjects = 0;
  #toHost: CommandBuffer | null = null;
  #disposed = false;

  private constructor(adapter: Adapter, created: CreatedDevice, options: DeviceOptions) {
    const { vk } = adapter.instance;
    const family = chooseQueueFamily(adapter.queueFamilies);
    // Destroys, in reverse order, what was made so far if the next step fails; and everything when all is over.
    using made = new DisposableStack();
    adapter.instance.retain();
    made.defer(() => adapter.instance.release());
    made.defer(() => vk.vkDestroyDevice(created.handle, null));
    this.vk = vk;
    this.#onCompile = options.onCompile;
    this.adapter = adapter;
    this.handle = created.handle;
    this.info = describeDevice(adapter, family, created.enabled);
    using arena = new Arena();
    const queue = arena.alloc(8);
    vk.vkGetDeviceQueue(this.handle, family.index, 0, queue);
    const { name, isCpu } = this.info;
    this.#timeline = made.use(
      new Timeline(vk, { device: this.handle, queue: readU64(queue), name, isCpu }),
    );
    this.#allocator = made.use(
      new Allocator(vk, { device: this.handle, adapter, mapDeviceMemory: options.mapDeviceMemory ?? true }),
    );
    const pool = arena.alloc(8);
    const poolInfo = arena.struct(CommandPoolCreateInfo, { queueFamilyIndex: family.index });
    check(vk.vkCreateCommandPool(this.handle, poolInfo, null, pool), "create a command pool");
    this.commandPool = readU64(pool);
    made.defer(() => vk.vkDestroyCommandPool(this.handle, this.commandPool, null));
    this.#cache = made.use(new PipelineCache(vk, this.handle, adapter));
    this.#pipelines = made.use(
      new PipelineBuilder(vk, {
        device: this.handle,
        cache: this.#cache.handle,
        flags: created.enabled.has("pipelineExecutableInfo") ? PIPELINE_CREATE.CAPTURE_STATISTICS_KHR : 0,
      }),
    );
    this.#owned = made.move();
  }

  /** Makes a device. Throws UserError naming what the adapter lacks. */
  static create(adapter: Adapter, options: DeviceOptions = {}): Device {
    adapter.requireFloor();
    const { index } = chooseQueueFamily(adapter.queueFamilies);
    return new Device(adapter, createLogicalDevice(adapter, index, options), options);
  }

  /** As {@linkcode create}, without blocking the event loop while the driver works. Not to be left alone: the process must wait. */
  static async createAside(adapter: Adapter, options: DeviceOptions = {}): Promise<Device> {
    adapter.requireFloor();
    const { index } = chooseQueueFamily(adapter.queueFamilies);
    return new Device(adapter, await createLogicalDeviceAside(adapter, index, options), options);
  }

  /** Buffers, recorders and command buffers that were made and not yet disposed. */
  get liveObjects(): number {
    return this.#liveObjects - (this.#toHost === null ? 0 : 1); // the device's own command buffer
  }

  /** Whether the device was lost; everything fails from then on. */
  get lost(): boolean {
    return this.#timeline.lost;
  }

  /** Bytes of device memory in zinc's blocks. */
  get allocatedBytes(): number {
    return this.#allocator.usedBytes;
  }

  /** Total and free memory for weights and activations, in bytes. */
  memoryBudget(): MemoryBudget {
    return this.#allocator.budget();
  }

  /** Memory with undefined content. Throws UserError with needed and free sizes when there is no room. */
  createBuffer(options: { bytes: number; kind: BufferKind; label: string }): DeviceBuffer {
    const { bytes, kind, label } = options;
    assert(Number.isSafeInteger(bytes) && bytes > 0, `${label}: a buffer of ${bytes} bytes`);
    const allocation = this.#allocator.allocate(kind, bytes, label);
    this.objectMade();
    const buffer = new DeviceBuffer(this, allocation, options);
    if (this.#poisoned) buffer.mapped?.fill(POISON);
    return buffer;
  }

  /** The pipeline for a kernel, kept by the device; compiled by {@linkcode compile}, else when it is first recorded. */
  pipeline(options: PipelineOptions): ComputePipeline {
    const { name, subgroupSize, fullSubgroups } = options;
    const { canControlSubgroupSize, canRequireFullSubgroups, minSubgroupSize, maxSubgroupSize } = this.info;
    assert(
      subgroupSize === undefined ||
        canControlSubgroupSize && subgroupSize >= minSubgroupSize && subgroupSize <= maxSubgroupSize,
      `${name}: subgroup size ${subgroupSize} cannot be had`,
    );
    assert(!fullSubgroups || canRequireFullSubgroups, `${name}: full subgroups cannot be had`);
    return this.#pipelines.get(options);
  }

  /**
   * Compiles what of `pipelines` is not compiled yet, several at a time and without blocking the event loop.
   *
   * @throws the reason of `signal` when it is aborted before all are compiled.
   */
  compile(pipelines: Iterable<ComputePipeline>, signal?: AbortSignal): Promise<void> {
    return this.#pipelines.compile(pipelines, { signal, onProgress: this.#onCompile });
  }

  /** What the driver's compiler says about a pipeline; empty without the option `pipelineStatistics`. */
  statistics(pipeline: ComputePipeline): PipelineStatistic[] {
    if (!this.#pipelines.keepsStatistics) return [];
    return pipelineStatistics(this.adapter.instance, this.handle, pipeline.handle);
  }

  /**
   * Hands command buffers to the device, to be run in order after everything submitted before.
   *
   * @returns The timeline's value once they are done.
   * @throws DeviceLostError when the device is gone.
   */
  submit(commandBuffers: readonly CommandBuffer[]): number {
    const value = this.#timeline.submit(commandBuffers);
    if (this.#retired.length > 0) this.#reap();
    return value;
  }

  /** The timeline's value of the latest submission. */
  get submitted(): number {
    return this.#timeline.submitted;
  }

  /** The timeline's value now: submissions up to it are done. Does not wait. */
  completed(): number {
    return this.#timeline.completed();
  }

  /** Time that waits have left the thread free for other work, ms. Overlapping waits count each. */
  get idleMs(): number {
    return this.#timeline.idleMs;
  }

  /** Resolves once the timeline has reached `value`, without ever blocking the event loop. */
  async wait(value: number, options?: WaitOptions): Promise<void> {
    await this.#timeline.wait(value, options);
    if (this.#retired.length > 0) this.#reap();
  }

  /** A copy of device memory, after everything submitted so far. */
  async readback(part: Span): Promise<Uint8Array<ArrayBuffer>> {
    const { mapped, allocation } = part.buffer;
    if (mapped !== null && allocation.block.hostCached) {
      this.#toHost ??= this.#recordHostBarrier();
      await this.wait(this.submit([this.#toHost]));
      return mapped.slice(part.offset, part.offset + part.bytes);
    }
    using staging = this.createBuffer({ bytes: part.bytes, kind: "readback", label: "readback" });
    using recorder = new Recorder(this, { label: "readback" });
    recorder.copy(part, span(staging, 0, part.bytes));
    recorder.hostBarrier();
    using commands = recorder.finish();
    await this.wait(this.submit([commands]));
    return staging.mapped!.slice(0, part.bytes);
  }

  /**
   * Calls `free` once the device has finished everything submitted so far; now, if it has. Never for a lost device,
   * whose disposal frees everything, nor after that.
   */
  retire(free: () => void): void {
    if (this.#disposed) return;
    try {
      if (this.completed() === this.submitted) free();
      else this.#retired.push({ value: this.submitted, free });
    } catch (error) {
      if (!this.lost) throw error;
    }
  }

  /** Gives memory back to its block. */
  freeAllocation(allocation: Allocation): void {
    this.#allocator.free(allocation);
  }

  /** Frees a command buffer that the device has finished. */
  freeCommandBuffer(handle: bigint): void {
    if (this.#disposed) return;
    using arena = new Arena();
    this.vk.vkFreeCommandBuffers(this.handle, this.commandPool, 1, arena.u64s([handle]));
  }

  /** A `VkQueryPool` for `count` timestamps. */
  createQueryPool(count: number): bigint {
    using arena = new Arena();
    const pool = arena.alloc(8);
    const info = arena.struct(QueryPoolCreateInfo, { queryType: QUERY_TYPE.TIMESTAMP, queryCount: count });
    check(this.vk.vkCreateQueryPool(this.handle, info, null, pool), "create a query pool");
    this.#queryPools.add(readU64(pool));
    return readU64(pool);
  }

  /** Destroys a query pool that the device has finished with. */
  destroyQueryPool(pool: bigint): void {
    if (this.#queryPools.delete(pool)) this.vk.vkDestroyQueryPool(this.handle, pool, null);
  }

  /** Counts an object that its owner must dispose. */
  objectMade(): void {
    this.#liveObjects++;
  }

  /** Undoes one {@linkcode objectMade}. */
  objectGone(): void {
    this.#liveObjects--;
  }

  /** Waits for the device and frees everything that was made on it. */
  [Symbol.dispose](): void {
    if (this.#disposed) return;
    this.#disposed = true;
    if (this.#timeline.stalled) return; // a driver that hangs would hang here too
    this.vk.vkDeviceWaitIdle(this.handle); // fails on a lost device, which has nothing left to wait for
    // Threads may still be inside the driver. What they wait for is over, or what they compile is small.
    if (this.#timeline.waiting || this.#pipelines.compiling) this.#idle().then(() => this.#destroy());
    else this.#destroy();
  }

  /** As `Symbol.dispose`, and resolves when nothing is left. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#idle();
    this[Symbol.dispose]();
  }

  /** Resolves when no thread is inside the driver. */
  async #idle(): Promise<void> {
    await Promise.allSettled([this.#timeline.idle(), this.#pipelines.idle()]);
  }

  #destroy(): void {
    this.#cache.save();
    for (const pool of this.#queryPools) this.destroyQueryPool(pool);
    this.#owned.dispose();
  }

  #reap(): void {
    const done = this.completed();
    while (this.#retired.length > 0 && this.#retired[0].value <= done) this.#retired.shift()!.free();
  }

  #recordHostBarrier(): CommandBuffer {
    using recorder = new Recorder(this, { label: "host barrier" });
    recorder.hostBarrier();
    return recorder.finish();
  }
}
