/** The free ranges of one memory block: first fit, neighbours merged when a range comes back. */
import { assert } from "../common/assert.ts";

/** Bookkeeping of a block of `bytes` bytes; it knows nothing of Vulkan. */
export class FreeList {
  /** Size of the whole block. */
  readonly bytes: number;
  #ranges: { offset: number; bytes: number }[];

  /** A block that is free from end to end. */
  constructor(bytes: number) {
    this.bytes = bytes;
    this.#ranges = [{ offset: 0, bytes }];
  }

  /** Whether nothing is taken. */
  get empty(): boolean {
    return this.#ranges.length === 1 && this.#ranges[0].bytes === this.bytes;
  }

  /** Bytes that are not taken. */
  get freeBytes(): number {
    return this.#ranges.reduce((sum, range) => sum + range.bytes, 0);
  }

  /** Takes `bytes` bytes and returns their offset, or null when no free range is long enough. */
  take(bytes: number): number | null {
    const index = this.#ranges.findIndex((range) => range.bytes >= bytes);
    if (index < 0) return null;
    const range = this.#ranges[index];
    const { offset } = range;
    if (range.bytes === bytes) this.#ranges.splice(index, 1);
    else this.#ranges[index] = { offset: offset + bytes, bytes: range.bytes - bytes };
    return offset;
  }

  /** Gives a taken range back. */
  give(offset: number, bytes: number): void {
    let at = this.#ranges.findIndex((range) => range.offset > offset);
    if (at < 0) at = this.#ranges.length;
    const before = this.#ranges[at - 1];
    const after = this.#ranges[at];
    assert(before === undefined || before.offset + before.bytes <= offset, "range given back twice");
    assert(offset + bytes <= (after?.offset ?? this.bytes), "range given back twice");
    const joined = { offset, bytes };
    let remove = 0;
    if (before && before.offset + before.bytes === offset) {
      joined.offset = before.offset;
      joined.bytes += before.bytes;
      at--;
      remove++;
    }
    if (after && offset + bytes === after.offset) {
      joined.bytes += after.bytes;
      remove++;
    }
    this.#ranges.splice(at, remove, joined);
  }
}
