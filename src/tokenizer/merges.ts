/**
 * The core of byte-pair encoding: join the best adjacent pair until none is left.
 *
 * Symbols form a linked list over arrays; candidate pairs wait in a binary heap, best rank first and leftmost among
 * equals, so a word of n symbols costs O(n log n). (The textbook loop that rescans the word after every merge is
 * quadratic: twenty thousand characters without a space would take ten seconds.)
 * Algorithm: Sennrich et al. 2016, "Neural Machine Translation of Rare Words with Subword Units".
 */

/** Which pairs may be joined, in which order, and what they become. */
export interface MergeRule {
  /** A handle for the merge of two adjacent symbols, or a negative number when they do not merge. */
  find(left: number, right: number): number;
  /** Order of application of a handle: smaller first. */
  rank(merge: number): number;
  /** The symbol that a handle's merge produces. */
  result(merge: number): number;
}

const NONE = -1;

/** Applies `rule` to `symbols` until no pair merges; returns what is left, in order. The input is not changed. */
export function mergeSymbols(symbols: ArrayLike<number>, rule: MergeRule): number[] {
  const count = symbols.length;
  if (count < 2) return Array.from(symbols);
  const word = new Word(symbols, rule);
  for (let i = 0; i + 1 < count; i++) word.propose(i);
  while (word.mergeBest());
  return word.symbols();
}

/** One word being merged. Positions are indices into the original symbols; a dead symbol has width 0. */
class Word {
  readonly #rule: MergeRule;
  readonly #symbol: Int32Array;
  readonly #next: Int32Array;
  readonly #previous: Int32Array;
  readonly #width: Int32Array;
  // The heap of candidates: rank, left position, and the joint width by which a stale candidate is recognised.
  readonly #heap: Candidate[] = [];

  constructor(symbols: ArrayLike<number>, rule: MergeRule) {
    const count = symbols.length;
    this.#rule = rule;
    this.#symbol = Int32Array.from(symbols);
    this.#width = new Int32Array(count).fill(1);
    this.#next = Int32Array.from({ length: count }, (_, i) => i + 1 < count ? i + 1 : NONE);
    this.#previous = Int32Array.from({ length: count }, (_, i) => i - 1);
  }

  /** Queues the pair that starts at `left`, if it merges. */
  propose(left: number): void {
    const right = this.#next[left];
    if (right === NONE) return;
    const merge = this.#rule.find(this.#symbol[left], this.#symbol[right]);
    if (merge < 0) return;
    const width = this.#width[left] + this.#width[right];
    push(this.#heap, { rank: this.#rule.rank(merge), left, width, merge });
  }

  /** Applies the best candidate; false when none is left. */
  mergeBest(): boolean {
    const best = pop(this.#heap);
    if (best === undefined) return false;
    const { left, width, merge } = best;
    const right = this.#next[left];
    // Widths only grow, so a pair whose joint width still matches is the pair that was proposed.
    const stale = this.#width[left] === 0 || right === NONE ||
      this.#width[left] + this.#width[right] !== width;
    if (stale) return true;
    this.#symbol[left] = this.#rule.result(merge);
    this.#width[left] = width;
    this.#width[right] = 0;
    const after = this.#next[right];
    this.#next[left] = after;
    if (after !== NONE) this.#previous[after] = left;
    if (this.#previous[left] !== NONE) this.propose(this.#previous[left]);
    this.propose(left);
    return true;
  }

  symbols(): number[] {
    const left: number[] = [];
    for (let i = 0; i !== NONE; i = this.#next[i]) left.push(this.#symbol[i]);
    return left;
  }
}

interface Candidate {
  rank: number;
  left: number;
  width: number;
  merge: number;
}

function before(a: Candidate, b: Candidate): boolean {
  return a.rank < b.rank || (a.rank === b.rank && a.left < b.left);
}

function push(heap: Candidate[], candidate: Candidate): void {
  let i = heap.length;
  heap.push(candidate);
  while (i > 0) {
    const parent = (i - 1) >> 1;
    if (!before(candidate, heap[parent])) break;
    heap[i] = heap[parent];
    i = parent;
  }
  heap[i] = candidate;
}

function pop(heap: Candidate[]): Candidate | undefined {
  const top = heap[0];
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return top;
  let i = 0;
  while (true) {
    let child = 2 * i + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && before(heap[child + 1], heap[child])) child++;
    if (!before(heap[child], last)) break;
    heap[i] = heap[child];
    i = child;
  }
  heap[i] = last;
  return top;
}
