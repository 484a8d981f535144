/**
 * Moves data from the host into device memory, straight into it where it is mapped, else through a ring of staging
 * buffers: while the device copies one, the host fills the next.
 */
import { type DeviceBuffer, type Span, span } from "./buffer.ts";
import type { CommandBuffer } from "./command_buffer.ts";
import type { Device } from "./device.ts";
import { Recorder } from "./recorder.ts";

/** Writes the bytes from `offset` of the data into all of `into`. */
export type UploadSource = (into: Uint8Array<ArrayBuffer>, offset: number) => void | Promise<void>;

/** Options of {@linkcode Uploader}. */
export interface UploaderOptions {
  /** Bytes of one staging buffer, and of one step of progress. Default 8 MiB. */
  chunkBytes?: number;
  /** Number of staging buffers. Default 3. */
  slots?: number;
}

interface Slot {
  buffer: DeviceBuffer;
  /** Timeline value after which the buffer is free. */
  value: number;
  commands: CommandBuffer | null;
}

/** Uploads with reused staging buffers. Dispose it when loading is over. */
export class Uploader implements Disposable {
  readonly #device: Device;
  readonly #chunkBytes: number;
  readonly #slotCount: number;
  readonly #slots: Slot[] = [];
  #next = 0;

  /** For uploads to `device`. */
  constructor(device: Device, options: UploaderOptions = {}) {
    this.#device = device;
    this.#chunkBytes = options.chunkBytes ?? 8 * 2 ** 20;
    this.#slotCount = options.slots ?? 3;
  }

  /**
   * Fills `target` from `source`, which is called for consecutive pieces. Returns when the host's part is done; whatever
   * is submitted afterwards sees the data.
   */
  async upload(target: Span, source: UploadSource, onProgress?: (doneBytes: number) => void): Promise<void> {
    const mapped = target.buffer.mapped;
    for (let offset = 0; offset < target.bytes; offset += this.#chunkBytes) {
      const bytes = Math.min(this.#chunkBytes, target.bytes - offset);
      if (mapped !== null) {
        const start = target.offset + offset;
        await source(mapped.subarray(start, start + bytes), offset);
      } else {
        await this.#stage(span(target.buffer, target.offset + offset, bytes), (into) => source(into, offset));
      }
      onProgress?.(offset + bytes);
    }
  }

  /** Fills `target` with `data`, which is as long. */
  async write(target: Span, data: Uint8Array): Promise<void> {
    await this.upload(target, (into, offset) => into.set(data.subarray(offset, offset + into.byteLength)));
  }

  /** Frees the staging buffers. */
  [Symbol.dispose](): void {
    for (const slot of this.#slots.splice(0)) {
      slot.commands?.[Symbol.dispose]();
      slot.buffer[Symbol.dispose]();
    }
  }

  async #stage(target: Span, fill: (into: Uint8Array<ArrayBuffer>) => void | Promise<void>): Promise<void> {
    const device = this.#device;
    const slot = await this.#freeSlot();
    await fill(slot.buffer.mapped!.subarray(0, target.bytes));
    slot.commands?.[Symbol.dispose]();
    using recorder = new Recorder(device, { label: "upload" });
    recorder.copy(span(slot.buffer, 0, target.bytes), target);
    slot.commands = recorder.finish();
    slot.value = device.submit([slot.commands]);
  }

  async #freeSlot(): Promise<Slot> {
    const index = this.#next;
    this.#next = (index + 1) % this.#slotCount;
    const slot = this.#slots[index] ??= {
      buffer: this.#device.createBuffer({ bytes: this.#chunkBytes, kind: "staging", label: "staging" }),
      value: 0,
      commands: null,
    };
    await this.#device.wait(slot.value);
    return slot;
  }
}
