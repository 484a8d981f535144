/**
 * Device memory in large blocks. Each block is one allocation with one `VkBuffer` over all of it, whose address in
 * shaders is known; what callers get are ranges of blocks. That keeps the number of allocations far below the limit of
 * 4096 that drivers have, and never needs one allocation for everything.
 */
import { Arena } from "../../ffi/arena.ts";
import { BUFFER_USAGE, MEMORY_ALLOCATE, MEMORY_PROPERTY, RESULT, WHOLE_SIZE } from "../../ffi/enums.ts";
import type { VulkanFunctions } from "../../ffi/functions.ts";
import { readStruct, readU64 } from "../../ffi/read.ts";
import {
  BufferCreateInfo,
  BufferDeviceAddressInfo,
  MemoryAllocateFlagsInfo,
  MemoryAllocateInfo,
  MemoryRequirements,
} from "../../ffi/structs/memory.ts";
import { assert } from "../common/assert.ts";
import { UserError } from "../common/errors.ts";
import type { Adapter } from "./adapter.ts";
import { bytesFromEnv, formatBytes } from "../common/byte_size.ts";
import { FreeList } from "./free_list.ts";
import { type MemoryBudget, type MemoryPicks, pickMemoryTypes } from "./memory_types.ts";
import { check, isOutOfMemory, OutOfMemoryError } from "./result.ts";

/** What a buffer is for; decides the kind of memory it lies in. */
export type BufferKind = "weights" | "activations" | "staging" | "readback";

/** Every range starts at a multiple of this: enough for the widest loads and for `nonCoherentAtomSize`. */
export const BUFFER_ALIGN = 256;

/** Blocks for small requests; larger ones get a block of their own. */
const BLOCK_BYTES: Record<keyof MemoryPicks, number> = {
  device: 64 * 2 ** 20,
  staging: 32 * 2 ** 20,
  readback: 4 * 2 ** 20,
};

const USAGE = BUFFER_USAGE.TRANSFER_SRC | BUFFER_USAGE.TRANSFER_DST | BUFFER_USAGE.STORAGE_BUFFER |
  BUFFER_USAGE.SHADER_DEVICE_ADDRESS;

const MAPPABLE = MEMORY_PROPERTY.HOST_VISIBLE | MEMORY_PROPERTY.HOST_COHERENT;

/** One allocation. */
export interface Block {
  /** Which requests may share it: weights and activations lie in `"device"` blocks. */
  readonly pool: keyof MemoryPicks;
  /** `VkBuffer` over all of it. */
  readonly buffer: bigint;
  /** `VkDeviceMemory`. */
  readonly memory: bigint;
  /** Address in shaders. */
  readonly address: bigint;
  /** Index of its heap. */
  readonly heap: number;
  /** All of it, where the host can see it. */
  readonly mapped: ArrayBuffer | null;
  /** Whether the host reads it at full speed. */
  readonly hostCached: boolean;
  /** What is taken. */
  readonly free: FreeList;
}

/** A range of a block. */
export interface Allocation {
  /** The block. */
  readonly block: Block;
  /** Start of the range in the block, in bytes. */
  readonly offset: number;
  /** Length, a multiple of {@linkcode BUFFER_ALIGN}. */
  readonly bytes: number;
}

/** Owner of all blocks of one device. */
export class Allocator implements Disposable {
  readonly #vk: VulkanFunctions;
  readonly #device: bigint;
  readonly #adapter: Adapter;
  readonly #picks: MemoryPicks;
  readonly #blocks = new Set<Block>();
  readonly #usedByHeap: number[];
  /** `ZINC_VK_MAX_ALLOC`: upper bound of a block, for drivers that fail below their own limit. */
  readonly #blockCap = bytesFromEnv("ZINC_VK_MAX_ALLOC") ?? Infinity;
  /** `ZINC_VK_MEMORY_LIMIT`: upper bound of all blocks together. */
  readonly #limit = bytesFromEnv("ZINC_VK_MEMORY_LIMIT") ?? Infinity;

  readonly #mapDeviceMemory: boolean;

  /**
   * For the device `device` made from `adapter`. `mapDeviceMemory` is whether weights and activations are mapped where
   * their memory can be.
   */
  constructor(vk: VulkanFunctions, options: { device: bigint; adapter: Adapter; mapDeviceMemory: boolean }) {
    const { device, adapter } = options;
    this.#vk = vk;
    this.#mapDeviceMemory = options.mapDeviceMemory;
    this.#device = device;
    this.#adapter = adapter;
    this.#usedByHeap = adapter.memory.heaps.map(() => 0);
    const probe = this.#createBuffer(BUFFER_ALIGN);
    assert(probe.result === RESULT.SUCCESS, "cannot create a buffer of 256 bytes");
    const allowed = this.#requirements(probe.buffer).memoryTypeBits;
    vk.vkDestroyBuffer(device, probe.buffer, null);
    this.#picks = pickMemoryTypes(adapter.memory, adapter.type, allowed);
  }

  /** Bytes in blocks. */
  get usedBytes(): number {
    return this.#usedByHeap.reduce((sum, bytes) => sum + bytes, 0);
  }

  /** Total and free memory for weights and activations; what is free inside a block counts as free. */
  budget(): MemoryBudget {
    const { total, free } = this.#adapter.memoryBudget(this.#usedByHeap, this.#limit);
    let inBlocks = 0;
    for (const block of this.#blocks) if (block.pool === "device") inBlocks += block.free.freeBytes;
    return { total, free: Math.min(total, free + inBlocks) };
  }

  /** Takes `bytes` bytes for `label`; throws OutOfMemoryError when there is no room. */
  allocate(kind: BufferKind, bytes: number, label: string): Allocation {
    const size = Math.ceil(bytes / BUFFER_ALIGN) * BUFFER_ALIGN;
    const pool = kind === "staging" || kind === "readback" ? kind : "device";
    for (const block of this.#blocks) {
      const offset = block.pool === pool ? block.free.take(size) : null;
      if (offset !== null) return { block, offset, bytes: size };
    }
    const block = this.#addBlock(pool, size, label);
    const offset = block.free.take(size);
    assert(offset !== null, "a new block has room");
    return { block, offset, bytes: size };
  }

  /** Gives a range back; a block with nothing left in it is freed. */
  free(allocation: Allocation): void {
    allocation.block.free.give(allocation.offset, allocation.bytes);
    if (allocation.block.free.empty) this.#destroy(allocation.block);
  }

  /** Frees every block. */
  [Symbol.dispose](): void {
    for (const block of this.#blocks) this.#destroy(block);
  }

  #addBlock(pool: keyof MemoryPicks, bytes: number, label: string): Block {
    const most = this.#adapter.limits.maxMemoryAllocationSize;
    if (bytes > most) {
      throw new UserError(
        `Cannot allocate ${formatBytes(bytes)} for ${label}: ${this.#adapter.name} allows at most ` +
          `${formatBytes(most)} in one piece`,
      );
    }
    const shared = Math.min(BLOCK_BYTES[pool], this.#blockCap, most);
    for (const type of this.#picks[pool]) {
      // A large request gets a block of its own; a small one a shared block, smaller where memory is short.
      for (let size = bytes * 2 > shared ? bytes : shared;; size = Math.max(bytes, size / 2)) {
        const block = this.#tryBlock(pool, Math.ceil(size / BUFFER_ALIGN) * BUFFER_ALIGN, type);
        if (block !== null) return block;
        if (size <= bytes) break;
      }
    }
    const { free, total } = this.budget();
    throw new OutOfMemoryError(
      `Cannot allocate ${formatBytes(bytes)} for ${label}: ${formatBytes(free)} of ${
        formatBytes(total)
      } are free ` +
        `on ${this.#adapter.name}; lower --ctx or --ubatch, or use a smaller model`,
    );
  }

  /** A block in memory type `type`, or null when memory has run out. */
  #tryBlock(pool: keyof MemoryPicks, bytes: number, type: number): Block | null {
    if (this.usedBytes + bytes > this.#limit) return null;
    const { result, buffer } = this.#createBuffer(bytes);
    if (isOutOfMemory(result)) return null;
    check(result, `create a buffer of ${formatBytes(bytes)}`);
    const vk = this.#vk;
    using arena = new Arena();
    const info = arena.struct(MemoryAllocateInfo, {
      pNext: arena.struct(MemoryAllocateFlagsInfo, { flags: MEMORY_ALLOCATE.DEVICE_ADDRESS }),
      allocationSize: this.#requirements(buffer).size,
      memoryTypeIndex: type,
    });
    const handle = arena.alloc(8);
    const allocated = vk.vkAllocateMemory(this.#device, info, null, handle);
    if (allocated !== RESULT.SUCCESS) {
      vk.vkDestroyBuffer(this.#device, buffer, null);
      if (isOutOfMemory(allocated)) return null;
      check(allocated, `allocate ${formatBytes(bytes)} of device memory`);
    }
    const memory = readU64(handle);
    check(vk.vkBindBufferMemory(this.#device, buffer, memory, 0n), "bind memory");
    const address = vk.vkGetBufferDeviceAddress(
      this.#device,
      arena.struct(BufferDeviceAddressInfo, { buffer }),
    );
    const { heap, flags } = this.#adapter.memory.types[type];
    const mappable = (flags & MAPPABLE) === MAPPABLE && (pool !== "device" || this.#mapDeviceMemory);
    const mapped = mappable ? this.#map(memory, bytes) : null;
    const hostCached = (flags & MEMORY_PROPERTY.HOST_CACHED) !== 0;
    const block = { pool, buffer, memory, address, heap, mapped, hostCached, free: new FreeList(bytes) };
    this.#blocks.add(block);
    this.#usedByHeap[heap] += bytes;
    return block;
  }

  #map(memory: bigint, bytes: number): ArrayBuffer {
    using arena = new Arena();
    const address = arena.alloc(8);
    check(this.#vk.vkMapMemory(this.#device, memory, 0n, WHOLE_SIZE, 0, address), "map device memory");
    const pointer = Deno.UnsafePointer.create(readU64(address));
    assert(pointer !== null, "mapped memory has an address");
    return Deno.UnsafePointerView.getArrayBuffer(pointer, bytes);
  }

  #createBuffer(bytes: number): { result: number; buffer: bigint } {
    using arena = new Arena();
    const handle = arena.alloc(8);
    const info = arena.struct(BufferCreateInfo, { size: bytes, usage: USAGE });
    const result = this.#vk.vkCreateBuffer(this.#device, info, null, handle);
    return { result, buffer: readU64(handle) };
  }

  #requirements(buffer: bigint) {
    using arena = new Arena();
    const memory = arena.alloc(MemoryRequirements.bytes);
    this.#vk.vkGetBufferMemoryRequirements(this.#device, buffer, memory);
    return readStruct(MemoryRequirements, memory);
  }

  #destroy(block: Block): void {
    this.#blocks.delete(block);
    this.#usedByHeap[block.heap] -= block.free.bytes;
    this.#vk.vkDestroyBuffer(this.#device, block.buffer, null);
    this.#vk.vkFreeMemory(this.#device, block.memory, null);
  }
}
