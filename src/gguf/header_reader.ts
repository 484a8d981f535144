/**
 * Reads the little-endian fields of a GGUF header one after the other, through a buffer, and knows at every moment
 * where it is: each failure names the field and its byte. Nothing is allocated for a field before the file is known to
 * be long enough for it.
 */
import { cannotRead } from "./errors.ts";
import { MAX_HEADER_BYTES } from "./limits.ts";
import { readAt } from "./positioned_read.ts";

const BUFFER_BYTES = 256 * 1024;

/** A cursor over the header of one file. */
export class HeaderReader {
  /** What is being read, for error messages. */
  field = "header";

  readonly #file: Deno.FsFile;
  readonly #path: string;
  readonly #size: number;
  readonly #buffer: Uint8Array;
  readonly #view: DataView;
  #bufferStart = 0; // file position of #buffer[0]
  #buffered = 0; // valid bytes in #buffer
  #next = 0; // index in #buffer of the next byte

  /**
   * @param file Open for reading; the reader moves its cursor.
   * @param path As the user gave it, for messages.
   * @param size Bytes of the file.
   */
  constructor(file: Deno.FsFile, path: string, size: number) {
    this.#file = file;
    this.#path = path;
    this.#size = size;
    this.#buffer = new Uint8Array(Math.min(BUFFER_BYTES, size));
    this.#view = new DataView(this.#buffer.buffer);
  }

  /** Bytes from the start of the file. */
  get position(): number {
    return this.#bufferStart + this.#next;
  }

  /** Bytes behind the cursor. */
  get remaining(): number {
    return this.#size - this.position;
  }

  /** Throws a `UserError` about the current field, which starts at `at`. */
  fail(problem: string, at: number = this.position): never {
    throw cannotRead(this.#path, `${this.field} at byte ${at}: ${problem}`);
  }

  /** An unsigned byte. */
  u8(): number {
    return this.#view.getUint8(this.#advance(1));
  }

  /** An unsigned 32-bit integer. */
  u32(): number {
    return this.#view.getUint32(this.#advance(4), true);
  }

  /** An unsigned 64-bit integer. */
  u64(): bigint {
    return this.#view.getBigUint64(this.#advance(8), true);
  }

  /**
   * A 64-bit count of things, each of which takes at least `bytesEach` bytes behind the cursor.
   * Fails unless it is at most `limit` and the file is long enough.
   */
  count(unit: string, bytesEach: number, limit: number): number {
    const at = this.position;
    const start = this.#advance(8);
    const value = this.#view.getUint32(start + 4, true) * 2 ** 32 + this.#view.getUint32(start, true);
    if (value * bytesEach > this.remaining) {
      const exact = this.#view.getBigUint64(start, true);
      this.fail(`${exact} ${unit} are more than the file holds; it is incomplete or damaged`, at);
    }
    if (value > limit) this.fail(`${value} ${unit}, but at most ${limit} are allowed`, at);
    return value;
  }

  /** Fails unless `bytes` more bytes exist and belong to a header of allowed length. */
  need(bytes: number): void {
    if (bytes > this.remaining) {
      this.fail(
        `${bytes} bytes needed, but the file ends after ${this.remaining}; it is incomplete or damaged`,
      );
    }
    if (this.position + bytes > MAX_HEADER_BYTES) {
      this.fail(`the header is longer than ${MAX_HEADER_BYTES} bytes`);
    }
  }

  /** The next `target.length` bytes, copied into `target`. */
  readInto(target: Uint8Array): void {
    this.need(target.length);
    let done = 0;
    while (done < target.length) {
      if (this.#next === this.#buffered) this.#fill(1);
      const part = Math.min(target.length - done, this.#buffered - this.#next);
      target.set(this.#buffer.subarray(this.#next, this.#next + part), done);
      this.#next += part;
      done += part;
    }
  }

  /** A copy of the next `length` bytes. */
  bytes(length: number): Uint8Array {
    this.need(length);
    const target = new Uint8Array(length);
    this.readInto(target);
    return target;
  }

  /** Makes `bytes` (a few) available and steps over them; returns where they start in the buffer. */
  #advance(bytes: number): number {
    if (this.#buffered - this.#next < bytes) {
      this.need(bytes);
      this.#fill(bytes);
    }
    const at = this.#next;
    this.#next += bytes;
    return at;
  }

  /** Moves the unread rest to the front of the buffer and reads on until `bytes` are there. */
  #fill(bytes: number): void {
    this.#buffer.copyWithin(0, this.#next, this.#buffered);
    this.#bufferStart += this.#next;
    this.#buffered -= this.#next;
    this.#next = 0;
    const rest = this.#buffer.subarray(this.#buffered);
    this.#buffered += readAt(this.#file, this.#path, this.#bufferStart + this.#buffered, rest);
    if (this.#buffered < bytes) this.fail("the file became shorter while it was read");
  }
}
