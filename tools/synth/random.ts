/**
 * A small, fast, seeded source of random numbers for synthetic weights: PCG-like mixing of a Weyl sequence
 * (mulberry32). Good enough for weights, not for anything that has to be unpredictable.
 */

/** Random numbers; the same seed gives the same ones. */
export class Random {
  #state: number;

  /** A stream of its own for every pair of seed and name. */
  constructor(seed: number, name: string) {
    this.#state = hash(`${seed}/${name}`);
  }

  /** A whole number below 2^32. */
  bits(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** A whole number below `limit`. */
  below(limit: number): number {
    return Math.floor(this.bits() / 2 ** 32 * limit);
  }

  /** A number from `low` to `high`. */
  between(low: number, high: number): number {
    return low + (high - low) * (this.bits() / 2 ** 32);
  }

  /** A number of the standard normal distribution (Box and Muller). */
  normal(): number {
    const radius = Math.sqrt(-2 * Math.log((this.bits() + 1) / 2 ** 32));
    return radius * Math.cos(2 * Math.PI * this.bits() / 2 ** 32);
  }
}

/** FNV-1a. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 0x01000193);
  return state;
}
