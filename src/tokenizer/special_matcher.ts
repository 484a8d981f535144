/**
 * Finds special tokens in text before the tokenizer's algorithm sees it: leftmost first, longest among those that
 * begin at the same place, in one pass whatever their number.
 */
import { ABSENT } from "./pair_map.ts";
import { ROOT, Trie } from "./trie.ts";
import type { Segment } from "./tokenizer.ts";
import { TOKEN_TYPE, type Vocabulary } from "./vocabulary.ts";

/** Either the id of a special token or text between two of them. */
export type Fragment = number | string;

/** Special tokens that swallow the white space beside them (`lstrip` and `rstrip` of added tokens). */
export interface StripRules {
  /** Ids that remove white space before them. */
  left: ReadonlySet<number>;
  /** Ids that remove white space after them. */
  right: ReadonlySet<number>;
}

// What a stretch of text allows to be matched in it.
const NOTHING = 0;
const USER_DEFINED = 1;
const EVERYTHING = 2;

/** Splits text at special tokens. */
export class SpecialMatcher {
  readonly #vocabulary: Vocabulary;
  readonly #strip: StripRules;
  readonly #trie = new Trie();

  /** @param strip Which tokens remove the white space beside them. */
  constructor(vocabulary: Vocabulary, strip: StripRules) {
    this.#vocabulary = vocabulary;
    this.#strip = strip;
    for (let id = 0; id < vocabulary.size; id++) {
      const special = vocabulary.isControl(id) || vocabulary.types[id] === TOKEN_TYPE.userDefined;
      if (special && vocabulary.texts[id] !== "") this.#trie.add(codeUnits(vocabulary.texts[id]), id);
    }
  }

  /** The joined text of `segments`, cut at the special tokens that each segment allows. */
  split(segments: readonly Segment[]): Fragment[] {
    const text = segments.map((segment) => segment.text).join("").toWellFormed();
    const allowed = new Uint8Array(text.length);
    let start = 0;
    for (const segment of segments) {
      const end = start + segment.text.length;
      allowed.fill(segment.control ? EVERYTHING : segment.plain ? NOTHING : USER_DEFINED, start, end);
      start = end;
    }
    return this.#cut(text, allowed);
  }

  #cut(text: string, allowed: Uint8Array): Fragment[] {
    const fragments: Fragment[] = [];
    let done = 0;
    for (let at = 0; at < text.length;) {
      const id = this.#longestAt(text, at, allowed);
      if (id === ABSENT) {
        at++;
        continue;
      }
      let before = text.slice(done, at);
      if (this.#strip.left.has(id)) before = before.trimEnd();
      if (before !== "") fragments.push(before);
      fragments.push(id);
      at += this.#vocabulary.texts[id].length;
      if (this.#strip.right.has(id)) { while (isAsciiSpace(text.charCodeAt(at))) at++; }
      done = at;
    }
    if (done < text.length) fragments.push(text.slice(done));
    return fragments;
  }

  #longestAt(text: string, at: number, allowed: Uint8Array): number {
    let node = ROOT;
    let found = ABSENT;
    let least = EVERYTHING;
    for (let i = at; i < text.length; i++) {
      least = Math.min(least, allowed[i]);
      node = least === NOTHING ? ABSENT : this.#trie.step(node, text.charCodeAt(i));
      if (node === ABSENT) break;
      const id = this.#trie.value(node);
      if (id !== ABSENT && least >= (this.#vocabulary.isControl(id) ? EVERYTHING : USER_DEFINED)) found = id;
    }
    return found;
  }
}

/** UTF-16 code units of `text`. */
export function codeUnits(text: string): Uint16Array {
  return Uint16Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
}

function isAsciiSpace(unit: number): boolean {
  return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
}
