/** Appends little-endian fields to a growing buffer: the inverse of the header reader. */
export class ByteWriter {
  #bytes = new Uint8Array(4096);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  /** Bytes written so far. */
  get length(): number {
    return this.#length;
  }

  /** What has been written, as a view. */
  written(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** An unsigned 32-bit integer. */
  u32(value: number): void {
    const at = this.#claim(4);
    this.#view.setUint32(at, value, true);
  }

  /** An unsigned 64-bit integer. */
  u64(value: number | bigint): void {
    const at = this.#claim(8);
    this.#view.setBigUint64(at, BigInt(value), true);
  }

  /** Raw bytes. */
  bytes(bytes: Uint8Array): void {
    const at = this.#claim(bytes.length);
    this.#bytes.set(bytes, at);
  }

  /** A string: its length in bytes, then its bytes. */
  string(text: string | Uint8Array): void {
    const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
    this.u64(bytes.length);
    this.bytes(bytes);
  }

  /** Zeros up to a multiple of `alignment`. */
  align(alignment: number): void {
    this.#claim((alignment - this.#length % alignment) % alignment);
  }

  /** Makes room for `count` zero bytes and returns where they start. */
  #claim(count: number): number {
    const at = this.#length;
    this.#length += count;
    if (this.#length > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(this.#length, 2 * this.#bytes.length));
      grown.set(this.#bytes);
      this.#bytes = grown;
      this.#view = new DataView(grown.buffer);
    }
    return at;
  }
}
