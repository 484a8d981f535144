/** A range of device memory, and parts of it. */
import { assert } from "../common/assert.ts";
import type { Device } from "./device.ts";
import type { Allocation, BufferKind } from "./memory.ts";

/** A part of a buffer. */
export interface Span {
  /** The buffer. */
  readonly buffer: DeviceBuffer;
  /** Start in the buffer, in bytes. */
  readonly offset: number;
  /** Length in bytes. */
  readonly bytes: number;
}

/** `bytes` bytes of `buffer` from `offset`; everything after `offset` by default. */
export function span(buffer: DeviceBuffer, offset = 0, bytes: number = buffer.bytes - offset): Span {
  assert(
    Number.isSafeInteger(offset) && Number.isSafeInteger(bytes) && offset >= 0 && bytes >= 0 &&
      offset + bytes <= buffer.bytes,
    `span ${offset}+${bytes} lies outside ${buffer.label} (${buffer.bytes} bytes)`,
  );
  return { buffer, offset, bytes };
}

/** The address of a span in shaders. */
export function spanAddress(part: Span): bigint {
  return part.buffer.address + BigInt(part.offset);
}

/**
 * Device memory that belongs to whoever created it. After disposal it lives on for as long as a command buffer refers
 * to it or the device may still be working on it.
 */
export class DeviceBuffer implements Disposable {
  /** Name for messages. */
  readonly label: string;
  /** What it is for. */
  readonly kind: BufferKind;
  /** Requested length. */
  readonly bytes: number;
  /** Address in shaders, a multiple of 256. */
  readonly address: bigint;
  /** Where it lies. */
  readonly allocation: Allocation;
  readonly #device: Device;
  #references = 1;
  #disposed = false;

  /** Use `device.createBuffer`. */
  constructor(
    device: Device,
    allocation: Allocation,
    options: { label: string; kind: BufferKind; bytes: number },
  ) {
    this.#device = device;
    this.allocation = allocation;
    this.label = options.label;
    this.kind = options.kind;
    this.bytes = options.bytes;
    this.address = allocation.block.address + BigInt(allocation.offset);
  }

  /** The memory itself, where the host can see it; not to be used after disposal. */
  get mapped(): Uint8Array<ArrayBuffer> | null {
    const { block, offset } = this.allocation;
    assert(!this.#disposed, `${this.label} is disposed`);
    return block.mapped === null ? null : new Uint8Array(block.mapped, offset, this.bytes);
  }

  /** Keeps the memory until the matching {@linkcode release}. */
  retain(): void {
    assert(this.#references > 0, `${this.label} is freed`);
    this.#references++;
  }

  /** Undoes one {@linkcode retain}. */
  release(): void {
    if (--this.#references === 0) this.#device.retire(() => this.#device.freeAllocation(this.allocation));
  }

  /** Gives the memory up; the device frees it when nothing uses it any more. */
  [Symbol.dispose](): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#device.objectGone();
    this.release();
  }
}
