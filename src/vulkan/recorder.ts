/**
 * Records commands into a command buffer that can be submitted any number of times. The caller says what every command
 * reads and writes; the recorder puts a barrier exactly where a command depends on an earlier one.
 *
 * Every command buffer begins with a barrier against everything before it, so buffers that follow each other, in one
 * submission or in several, see each other's results.
 *
 * The commands reach the driver at the end of the recording: only then do pipelines have to be compiled.
 */
import { Arena } from "../../ffi/arena.ts";
import {
  ACCESS,
  COMMAND_BUFFER_USAGE,
  PIPELINE_BIND_POINT,
  PIPELINE_STAGE,
  SHADER_STAGE,
} from "../../ffi/enums.ts";
import { readU64 } from "../../ffi/read.ts";
import {
  BufferCopy,
  CommandBufferAllocateInfo,
  CommandBufferBeginInfo,
  MemoryBarrier,
} from "../../ffi/structs/command.ts";
import { assert } from "../common/assert.ts";
import { type DeviceBuffer, type Span, span, spanAddress } from "./buffer.ts";
import { CommandBuffer } from "./command_buffer.ts";
import type { Device } from "./device.ts";
import { type ByteRange, HazardTracker } from "./hazards.ts";
import type { ComputePipeline } from "./pipeline.ts";
import { Profile } from "./profile.ts";
import { check } from "./result.ts";

/** Options of {@linkcode Recorder}. */
export interface RecorderOptions {
  /** Name for messages. */
  label?: string;
  /** Measure the device's time for each dispatch. Serializes them. */
  profile?: boolean;
}

/** One run of a kernel. */
export interface Dispatch {
  /** Number of workgroups in x, y and z. */
  workgroups: readonly [number, number, number];
  /** Values of the push constants: numbers, and spans for addresses; 0 stands for no address. */
  push: Readonly<Record<string, number | Span>>;
  /** Everything the kernel may read, but for weights, which nothing else in the same recording may write. */
  reads: readonly Span[];
  /** Everything the kernel may write. */
  writes: readonly Span[];
  /** Name in profiles; the kernel's by default. */
  label?: string;
}

const DEVICE_STAGES = PIPELINE_STAGE.COMPUTE_SHADER | PIPELINE_STAGE.TRANSFER;
const DEVICE_WRITES = ACCESS.SHADER_WRITE | ACCESS.TRANSFER_WRITE;
const DEVICE_ACCESSES = ACCESS.SHADER_READ | ACCESS.SHADER_WRITE | ACCESS.TRANSFER_READ |
  ACCESS.TRANSFER_WRITE;

/** What a kernel that is made to compute wrong leaves in one element: 123 as float32, 3.48 as float16. */
const WRONG_BITS = 0x42f60000;

/** A command buffer being recorded. */
export class Recorder implements Disposable {
  /** The device. */
  readonly device: Device;
  /** How many commands of each kind there are. The barrier at the beginning does not count. */
  readonly stats = { dispatches: 0, barriers: 0, copies: 0 };
  readonly #label: string;
  readonly #handle: bigint;
  readonly #hazards = new HazardTracker();
  readonly #buffers = new Set<DeviceBuffer>();
  readonly #profile: Profile | null;
  readonly #pipelines = new Set<ComputePipeline>();
  /** Calls of the driver, in order. */
  readonly #commands: (() => void)[] = [];
  readonly #arena = new Arena();
  readonly #computeBarrier = this.#barrier(ACCESS.SHADER_WRITE, ACCESS.SHADER_READ | ACCESS.SHADER_WRITE);
  readonly #anyBarrier = this.#barrier(DEVICE_WRITES, DEVICE_ACCESSES);
  /** `ZINC_FAULT_WRONG_KERNEL`: name of a kernel whose results tests want wrong, in all its forms or (`name.format`) in one. */
  readonly #wrongKernel = Deno.env.get("ZINC_FAULT_WRONG_KERNEL");
  #boundPipeline: ComputePipeline | null = null;
  /** Whether a copy or fill is outstanding since the last barrier. */
  #transfers = false;
  #open = true;

  /** Begins to record. */
  constructor(device: Device, options: RecorderOptions = {}) {
    this.device = device;
    this.#label = options.label ?? "commands";
    const arena = this.#arena;
    const handle = arena.alloc(8);
    const allocate = arena.struct(CommandBufferAllocateInfo, {
      commandPool: device.commandPool,
      commandBufferCount: 1,
    });
    check(device.vk.vkAllocateCommandBuffers(device.handle, allocate, handle), "allocate a command buffer");
    this.#handle = readU64(handle);
    const begin = arena.struct(CommandBufferBeginInfo, { flags: COMMAND_BUFFER_USAGE.SIMULTANEOUS_USE });
    check(device.vk.vkBeginCommandBuffer(this.#handle, begin), "begin a command buffer");
    device.objectMade();
    const first = this.#barrier(DEVICE_WRITES | ACCESS.HOST_WRITE, DEVICE_ACCESSES);
    this.#pipelineBarrier(DEVICE_STAGES | PIPELINE_STAGE.HOST, DEVICE_STAGES, first);
    this.#profile = options.profile ? new Profile(device, this.#handle) : null;
  }

  /** Records one run of `pipeline`. */
  dispatch(pipeline: ComputePipeline, options: Dispatch): void {
    const { workgroups: [x, y, z], reads, writes } = options;
    assert(this.#open, `${this.#label}: recording is finished`);
    this.#checkDispatch(pipeline, options);
    this.#order(reads, writes, false);
    const { vk } = this.device;
    this.#bind(pipeline);
    const { layout, push: { bytes } } = pipeline;
    if (bytes > 0) {
      const push = this.#pushConstants(pipeline, options.push);
      this.#commands.push(() =>
        vk.vkCmdPushConstants(this.#handle, layout, SHADER_STAGE.COMPUTE, 0, bytes, push)
      );
    }
    this.#commands.push(() => {
      this.#profile?.begin();
      vk.vkCmdDispatch(this.#handle, x, y, z);
      this.#profile?.end(options.label ?? pipeline.name);
    });
    this.stats.dispatches++;
    if (this.#wrongKernel !== undefined) this.#spoil(pipeline, writes);
  }

  /** Copies `source` to `target`, which has the same length and does not overlap it. */
  copy(source: Span, target: Span): void {
    assert(this.#open, `${this.#label}: recording is finished`);
    assert(source.bytes === target.bytes, `copy of ${source.bytes} bytes into ${target.bytes}`);
    if (source.bytes === 0) return;
    this.#order([source], [target], true);
    const region = this.#arena.struct(BufferCopy, {
      srcOffset: source.buffer.allocation.offset + source.offset,
      dstOffset: target.buffer.allocation.offset + target.offset,
      size: source.bytes,
    });
    const [from, to] = [source.buffer.allocation.block.buffer, target.buffer.allocation.block.buffer];
    this.#commands.push(() => this.device.vk.vkCmdCopyBuffer(this.#handle, from, to, 1, region));
    this.stats.copies++;
  }

  /** Fills `target` with a 32-bit pattern; offset and length are multiples of 4. */
  fill(target: Span, pattern: number): void {
    assert(this.#open, `${this.#label}: recording is finished`);
    assert(target.offset % 4 === 0 && target.bytes % 4 === 0, "fill works on whole 32-bit words");
    if (target.bytes === 0) return;
    this.#order([], [target], true);
    const { block, offset } = target.buffer.allocation;
    const [start, bytes] = [BigInt(offset + target.offset), BigInt(target.bytes)];
    this.#commands.push(() =>
      this.device.vk.vkCmdFillBuffer(this.#handle, block.buffer, start, bytes, pattern >>> 0)
    );
    this.stats.copies++;
  }

  /** Makes everything written so far visible to the host, once it has waited for the submission. */
  hostBarrier(): void {
    assert(this.#open, `${this.#label}: recording is finished`);
    const barrier = this.#barrier(DEVICE_WRITES, ACCESS.HOST_READ);
    this.#pipelineBarrier(DEVICE_STAGES, PIPELINE_STAGE.HOST, barrier);
  }

  /** The pipelines of all dispatches so far. Compile them before {@linkcode finish}, which else blocks until that is done. */
  get pipelines(): ReadonlySet<ComputePipeline> {
    return this.#pipelines;
  }

  /** Ends the recording. The command buffer belongs to the caller. */
  finish(): CommandBuffer {
    assert(this.#open, `${this.#label}: recording is finished`);
    for (const command of this.#commands.splice(0)) command();
    check(this.device.vk.vkEndCommandBuffer(this.#handle), `record ${this.#label}`);
    this.#close();
    return new CommandBuffer(this.device, {
      handle: this.#handle,
      label: this.#label,
      stats: this.stats,
      buffers: this.#buffers,
      profile: this.#profile,
    });
  }

  /** Throws away what was recorded, unless it is finished. */
  [Symbol.dispose](): void {
    if (!this.#open) return;
    this.#close();
    this.#profile?.[Symbol.dispose]();
    this.device.freeCommandBuffer(this.#handle);
    for (const buffer of this.#buffers) buffer.release();
  }

  #close(): void {
    this.#open = false;
    this.device.objectGone();
    this.#arena[Symbol.dispose]();
  }

  #spoil({ name }: ComputePipeline, writes: readonly Span[]): void {
    const target = writes.at(-1);
    if (!target || name !== this.#wrongKernel && !name.startsWith(`${this.#wrongKernel}.`)) return;
    this.fill(span(target.buffer, Math.ceil(target.offset / 4) * 4, 4), WRONG_BITS);
  }

  #checkDispatch(pipeline: ComputePipeline, { workgroups, push, reads, writes }: Dispatch): void {
    const limits = this.device.info.maxWorkgroupCount;
    workgroups.forEach((count, axis) =>
      assert(
        Number.isInteger(count) && count > 0 && count <= limits[axis],
        `${pipeline.name}: ${count} workgroups in ${"xyz"[axis]}, allowed are 1 to ${limits[axis]}`,
      )
    );
    for (const [field, value] of Object.entries(push)) {
      if (typeof value === "number" || value.buffer.kind === "weights") continue;
      assert(
        reads.concat(writes).some((declared) => declared.buffer === value.buffer),
        `${pipeline.name}: push constant ${field} is neither among the reads nor the writes`,
      );
    }
  }

  #bind(pipeline: ComputePipeline): void {
    if (this.#boundPipeline === pipeline) return;
    this.#boundPipeline = pipeline;
    this.#pipelines.add(pipeline);
    const { vk } = this.device;
    this.#commands.push(() =>
      vk.vkCmdBindPipeline(this.#handle, PIPELINE_BIND_POINT.COMPUTE, pipeline.handle)
    );
  }

  #pushConstants(pipeline: ComputePipeline, push: Dispatch["push"]): Uint8Array<ArrayBuffer> {
    const { fields, offsets, name, bytes } = pipeline.push;
    const constants = new Uint8Array(bytes);
    const view = new DataView(constants.buffer);
    for (const field in fields) {
      const value = push[field];
      assert(value !== undefined, `${pipeline.name}: push constant ${field} of ${name} is missing`);
      const isAddress = fields[field].bytes === 8;
      assert(
        typeof value === "number" ? !isAddress || value === 0 : isAddress,
        `${pipeline.name}: push constant ${field} of ${name} is ${isAddress ? "an address" : "a number"}`,
      );
      if (typeof value !== "number") {
        this.#use(value.buffer);
        view.setBigUint64(offsets[field], spanAddress(value), true);
      } else fields[field].write(view, offsets[field], value as never, () => 0n);
    }
    for (const field in push) {
      assert(field in fields, `${pipeline.name}: ${name} has no push constant ${field}`);
    }
    return constants;
  }

  /** Puts a barrier before a command that depends on an outstanding one, and notes what the command touches. */
  #order(reads: readonly Span[], writes: readonly Span[], transfer: boolean): void {
    const readRanges = reads.map((part) => this.#range(part));
    const writeRanges = writes.map((part) => this.#range(part));
    if (this.#hazards.conflicts(readRanges, writeRanges)) {
      if (transfer || this.#transfers) this.#pipelineBarrier(DEVICE_STAGES, DEVICE_STAGES, this.#anyBarrier);
      else {
        const stage = PIPELINE_STAGE.COMPUTE_SHADER;
        this.#pipelineBarrier(stage, stage, this.#computeBarrier);
      }
      this.stats.barriers++;
      this.#hazards.clear();
      this.#transfers = false;
    }
    this.#hazards.add(readRanges, writeRanges);
    this.#transfers ||= transfer;
  }

  #range(part: Span): ByteRange {
    this.#use(part.buffer);
    return { memory: part.buffer, start: part.offset, end: part.offset + part.bytes };
  }

  #use(buffer: DeviceBuffer): void {
    if (this.#buffers.has(buffer)) return;
    buffer.retain();
    this.#buffers.add(buffer);
  }

  #barrier(srcAccessMask: number, dstAccessMask: number): Uint8Array {
    return this.#arena.struct(MemoryBarrier, { srcAccessMask, dstAccessMask });
  }

  #pipelineBarrier(from: number, to: number, barrier: Uint8Array): void {
    this.#commands.push(() =>
      this.device.vk.vkCmdPipelineBarrier(this.#handle, from, to, 0, 1, barrier, 0, null, 0, null)
    );
  }
}
