/**
 * Moves data from the host into device memory, straight into it where it is mapped, else through a ring of staging
 * buffers: while the device copies from one, the host fills the next. A staging buffer is submitted when it is full, so
 * many small pieces share a submission.
 */
import { assert } from "../common/assert.ts";
import { type DeviceBuffer, type Span, span } from "./buffer.ts";
import type { Device } from "./device.ts";
import { Recorder } from "./recorder.ts";

/** Writes the bytes from `offset` of the data into all of `into`. */
export type UploadSource = (into: Uint8Array<ArrayBuffer>, offset: number) => void | Promise<void>;

/** Options of {@linkcode Uploader}. */
export interface UploaderOptions {
  /** Bytes of one staging buffer, and most of one step. Default 8 MiB. */
  chunkBytes?: number;
  /** Number of staging buffers. Default 3. */
  slots?: number;
}

/** Where a part of a staged piece goes. */
export interface StagedCopy {
  /** Start of the part in the piece, in bytes. */
  readonly from: number;
  /** Its place, and its length. */
  readonly to: Span;
}

/** Pieces in staging memory start at multiples of this. */
const PIECE_ALIGN = 16;

interface Slot {
  buffer: DeviceBuffer;
  /** Timeline value after which the buffer is free. */
  value: number;
}

/** Uploads with reused staging buffers. Dispose it when loading is over. */
export class Uploader implements Disposable {
  readonly #device: Device;
  readonly #chunkBytes: number;
  readonly #slotCount: number;
  readonly #slots: Slot[] = [];
  #next = 0;
  /** The slot that is being filled, and the copies out of it. */
  #open: { slot: Slot; recorder: Recorder } | null = null;
  /** Bytes taken of the open slot; always fewer than it has. */
  #used = 0;

  /** For uploads to `device`. */
  constructor(device: Device, options: UploaderOptions = {}) {
    this.#device = device;
    this.#chunkBytes = options.chunkBytes ?? 8 * 2 ** 20;
    this.#slotCount = options.slots ?? 3;
  }

  /**
   * Fills `target` from `source`, which is called for consecutive pieces. Returns when the host's part is done; whatever
   * is submitted after the next {@linkcode flush} sees the data.
   */
  async add(target: Span, source: UploadSource): Promise<void> {
    const mapped = target.buffer.mapped?.subarray(target.offset, target.offset + target.bytes);
    for (let offset = 0, bytes; offset < target.bytes; offset += bytes) {
      bytes = Math.min(target.bytes - offset, this.#chunkBytes - this.#used);
      if (mapped) await source(mapped.subarray(offset, offset + bytes), offset);
      else {
        const to = span(target.buffer, target.offset + offset, bytes);
        await this.stage(bytes, (into) => source(into, offset), [{ from: 0, to }]);
      }
    }
  }

  /**
   * Has `fill` write a piece of `bytes` bytes, at most a chunk, into staging memory (which holds anything before), from
   * where its parts are copied to their places. As with {@linkcode add}, the data is there after a {@linkcode flush}.
   */
  async stage(
    bytes: number,
    fill: (into: Uint8Array<ArrayBuffer>) => void | Promise<void>,
    copies: readonly StagedCopy[],
  ): Promise<void> {
    assert(bytes <= this.#chunkBytes, `a piece of ${bytes} bytes, staging buffers have ${this.#chunkBytes}`);
    if (this.#used + bytes > this.#chunkBytes) this.flush();
    const { slot: { buffer }, recorder } = this.#open ??= await this.#openSlot();
    await fill(buffer.mapped!.subarray(this.#used, this.#used + bytes));
    for (const { from, to } of copies) recorder.copy(span(buffer, this.#used + from, to.bytes), to);
    this.#used += Math.ceil(bytes / PIECE_ALIGN) * PIECE_ALIGN;
    if (this.#used >= this.#chunkBytes) this.flush();
  }

  /** Submits what was added so far. */
  flush(): void {
    if (this.#open === null) return;
    const { slot, recorder } = this.#open;
    using commands = recorder.finish();
    this.#open = null;
    this.#used = 0;
    slot.value = this.#device.submit([commands]);
  }

  /** Fills `target` from `source` as {@linkcode add} does; whatever is submitted afterwards sees the data. */
  async upload(target: Span, source: UploadSource): Promise<void> {
    await this.add(target, source);
    this.flush();
  }

  /** Fills `target` with `data`, which is as long; whatever is submitted afterwards sees it. */
  async write(target: Span, data: Uint8Array): Promise<void> {
    await this.upload(target, (into, offset) => into.set(data.subarray(offset, offset + into.byteLength)));
  }

  /** Drops what was not flushed, and frees the staging buffers. */
  [Symbol.dispose](): void {
    this.#open?.recorder[Symbol.dispose]();
    this.#open = null;
    for (const { buffer } of this.#slots.splice(0)) buffer[Symbol.dispose]();
  }

  async #openSlot(): Promise<{ slot: Slot; recorder: Recorder }> {
    const index = this.#next;
    this.#next = (index + 1) % this.#slotCount;
    const slot = this.#slots[index] ??= {
      buffer: this.#device.createBuffer({ bytes: this.#chunkBytes, kind: "staging", label: "staging" }),
      value: 0,
    };
    await this.#device.wait(slot.value);
    return { slot, recorder: new Recorder(this.#device, { label: "upload" }) };
  }
}
