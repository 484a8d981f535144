/**
 * A hash map from pairs of small integers to integers: the merge table of byte-pair encoding and the edges of tries.
 *
 * JavaScript's `Map` would need one combined key object or heap number per entry; a vocabulary has up to a million
 * such pairs, and every character of a prompt asks for several. This one is open addressing over three typed arrays.
 */
import { assert } from "../common/assert.ts";

const EMPTY = -1;
const INITIAL_SLOTS = 16;
/** Returned by {@linkcode PairMap.get} for a pair that is not there. */
export const ABSENT = -1;

/** Maps `(left, right)`, both non-negative 32-bit integers, to a non-negative 32-bit integer. */
export class PairMap {
  #left: Int32Array;
  #right: Int32Array;
  #value: Int32Array;
  #size = 0;

  /** @param expected How many pairs will be added; more are possible, at the price of rehashing. */
  constructor(expected = 0) {
    let slots = INITIAL_SLOTS;
    while (slots < expected * 2) slots *= 2;
    this.#left = new Int32Array(slots).fill(EMPTY);
    this.#right = new Int32Array(slots);
    this.#value = new Int32Array(slots);
  }

  /** Number of pairs. */
  get size(): number {
    return this.#size;
  }

  /** The value of `(left, right)`, or {@linkcode ABSENT}. */
  get(left: number, right: number): number {
    const slot = this.#slot(left, right);
    return this.#left[slot] === EMPTY ? ABSENT : this.#value[slot];
  }

  /** Adds or replaces the value of `(left, right)`. */
  set(left: number, right: number, value: number): void {
    assert(left >= 0 && right >= 0 && value >= 0, "PairMap holds non-negative integers only");
    if (this.#size * 2 >= this.#left.length) this.#grow();
    const slot = this.#slot(left, right);
    if (this.#left[slot] === EMPTY) this.#size++;
    this.#left[slot] = left;
    this.#right[slot] = right;
    this.#value[slot] = value;
  }

  /** The slot that holds the pair, or the free one where it belongs. */
  #slot(left: number, right: number): number {
    const mask = this.#left.length - 1;
    // Multiplicative hashing with two odd constants (golden ratio, xxHash's second prime); the high bits are mixed down.
    let hash = Math.imul(left, 0x9e3779b1) ^ Math.imul(right, 0x85ebca77);
    hash ^= hash >>> 15;
    let slot = hash & mask;
    while (this.#left[slot] !== EMPTY && (this.#left[slot] !== left || this.#right[slot] !== right)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #grow(): void {
    const [left, right, value] = [this.#left, this.#right, this.#value];
    const slots = left.length * 2;
    this.#left = new Int32Array(slots).fill(EMPTY);
    this.#right = new Int32Array(slots);
    this.#value = new Int32Array(slots);
    this.#size = 0;
    for (let i = 0; i < left.length; i++) if (left[i] !== EMPTY) this.set(left[i], right[i], value[i]);
  }
}
