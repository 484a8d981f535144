/**
 * Decides where a barrier is needed between two commands. The device may overlap and reorder commands freely between
 * barriers; a barrier is due only where a command really touches bytes that an earlier one writes, or writes bytes that
 * an earlier one reads.
 */

/** The bytes `start` to `end` (exclusive) of a piece of memory; ranges of different pieces never overlap. */
export interface ByteRange {
  /** Identity of the memory. */
  readonly memory: unknown;
  /** First byte. */
  readonly start: number;
  /** One after the last byte. */
  readonly end: number;
}

/** What commands touched since the last barrier. */
export class HazardTracker {
  #reads: ByteRange[] = [];
  #writes: ByteRange[] = [];

  /** Whether a command with these accesses has to wait for earlier ones. */
  conflicts(reads: readonly ByteRange[], writes: readonly ByteRange[]): boolean {
    return anyOverlap(reads, this.#writes) || anyOverlap(writes, this.#writes) ||
      anyOverlap(writes, this.#reads);
  }

  /** Notes a command's accesses. */
  add(reads: readonly ByteRange[], writes: readonly ByteRange[]): void {
    for (const range of reads) this.#reads.push(range);
    for (const range of writes) this.#writes.push(range);
  }

  /** After a barrier, nothing is outstanding. */
  clear(): void {
    this.#reads.length = 0;
    this.#writes.length = 0;
  }
}

function anyOverlap(some: readonly ByteRange[], others: readonly ByteRange[]): boolean {
  return some.some((a) =>
    others.some((b) => a.memory === b.memory && Math.max(a.start, b.start) < Math.min(a.end, b.end))
  );
}
