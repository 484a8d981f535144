/**
 * A trie over sequences of small integers (UTF-8 bytes or UTF-16 code units) whose entries carry token ids.
 *
 * Nodes are numbers; the edges of all nodes live in one {@linkcode PairMap}.
 */
import { ABSENT, PairMap } from "./pair_map.ts";

/** The node every walk starts from. */
export const ROOT = 0;

/** Prefix tree from key to value; values are non-negative integers. */
export class Trie {
  #edges: PairMap;
  #values: number[] = [ABSENT];

  /** @param expectedNodes Size hint: about the number of distinct key prefixes. */
  constructor(expectedNodes = 0) {
    this.#edges = new PairMap(expectedNodes);
  }

  /** Adds `key`; a later value of the same key wins. */
  add(key: ArrayLike<number>, value: number): void {
    let node = ROOT;
    for (let i = 0; i < key.length; i++) {
      let next = this.#edges.get(node, key[i]);
      if (next === ABSENT) {
        next = this.#values.length;
        this.#values.push(ABSENT);
        this.#edges.set(node, key[i], next);
      }
      node = next;
    }
    this.#values[node] = value;
  }

  /** The child of `node` along `unit`, or `ABSENT`. */
  step(node: number, unit: number): number {
    return this.#edges.get(node, unit);
  }

  /** The value of the key that ends at `node`, or `ABSENT`. */
  value(node: number): number {
    return this.#values[node];
  }
}
