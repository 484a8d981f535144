/**
 * SentencePiece's Unigram model (T5): of all ways to cut the text into pieces, the one with the highest sum of
 * log-probabilities, found by dynamic programming over the bytes (Viterbi).
 * Reference: unigram_model.cc and normalizer.cc of the SentencePiece repository.
 */
import type { CharacterMap } from "./character_map.ts";
import { ABSENT } from "./pair_map.ts";
import { fromSpaceMarks, SPACE_MARK } from "./space_marks.ts";
import type { TokenModel } from "./token_model.ts";
import { ROOT, Trie } from "./trie.ts";
import { NO_TOKEN, TOKEN_TYPE, type Vocabulary } from "./vocabulary.ts";

/** How text is normalized, and what stands for unknown characters. */
export interface UnigramOptions {
  /** Whether text gets a leading space. */
  addSpacePrefix: boolean;
  /** Whether runs of spaces become one, and those at both ends disappear. */
  removeExtraWhitespaces: boolean;
  /** Token for a character that no piece covers. */
  unknown: number;
  /** Replacements made before all else. */
  characterMap?: CharacterMap;
}

const encoder = new TextEncoder();
const MARK_BYTES = encoder.encode(SPACE_MARK);
const SPACE = 0x20;
/** How much worse an unknown character is than the worst piece (kUnkPenalty). */
const UNKNOWN_PENALTY = 10;

/** A Unigram tokenizer's algorithm. */
export class UnigramModel implements TokenModel {
  readonly #vocabulary: Vocabulary;
  readonly #scores: ArrayLike<number>;
  readonly #options: UnigramOptions;
  readonly #trie = new Trie();
  readonly #unknownScore: number;
  readonly #hasBytes: boolean;

  /** @param scores Log-probability of each token. */
  constructor(vocabulary: Vocabulary, scores: ArrayLike<number>, options: UnigramOptions) {
    this.#vocabulary = vocabulary;
    this.#scores = scores;
    this.#options = options;
    this.#hasBytes = !vocabulary.byteTokens.includes(NO_TOKEN);
    let worst = Infinity;
    for (let id = 0; id < vocabulary.size; id++) {
      if (vocabulary.types[id] === TOKEN_TYPE.normal) worst = Math.min(worst, scores[id]);
      if (vocabulary.isText(id) && vocabulary.texts[id] !== "") {
        this.#trie.add(encoder.encode(vocabulary.texts[id]), id);
      }
    }
    this.#unknownScore = worst - UNKNOWN_PENALTY;
  }

  /** See {@linkcode TokenModel}. */
  encode(text: string, _atStart: boolean, output: number[]): void {
    const bytes = this.#normalize(text);
    const { token, start } = this.#bestPath(bytes);
    const path: number[] = [];
    for (let end = bytes.length; end > 0; end = start[end]) path.push(end);
    let afterUnknown = false;
    for (const end of path.reverse()) {
      const isUnknown = token[end] === this.#options.unknown;
      if (isUnknown && this.#hasBytes) {
        for (let i = start[end]; i < end; i++) output.push(this.#vocabulary.byteTokens[bytes[i]]);
      } else if (!isUnknown || !afterUnknown) {
        output.push(token[end]); // neighbouring unknown characters are one unknown token
      }
      afterUnknown = isUnknown;
    }
  }

  /** See {@linkcode TokenModel}. */
  bytes(id: number): Uint8Array {
    return encoder.encode(fromSpaceMarks(this.#vocabulary.texts[id]));
  }

  /** For each end of a prefix of `bytes`: the last token of its best cut, and where that token starts. */
  #bestPath(bytes: Uint8Array): { token: Int32Array; start: Int32Array } {
    const score = new Float64Array(bytes.length + 1).fill(-Infinity);
    const token = new Int32Array(bytes.length + 1);
    const start = new Int32Array(bytes.length + 1);
    score[0] = 0;
    const offer = (id: number, from: number, to: number, gain: number) => {
      if (score[from] + gain <= score[to]) return;
      score[to] = score[from] + gain;
      token[to] = id;
      start[to] = from;
    };
    for (let from = 0; from < bytes.length;) {
      const next = Math.min(bytes.length, from + utf8Length(bytes[from]));
      let coversCharacter = false;
      let node = ROOT;
      for (let i = from; i < bytes.length; i++) {
        node = this.#trie.step(node, bytes[i]);
        if (node === ABSENT) break;
        const id = this.#trie.value(node);
        if (id === ABSENT) continue;
        coversCharacter ||= i + 1 === next;
        offer(id, from, i + 1, this.#vocabulary.types[id] === TOKEN_TYPE.userDefined ? 0 : this.#scores[id]);
      }
      if (!coversCharacter) offer(this.#options.unknown, from, next, this.#unknownScore);
      from = next;
    }
    return { token, start };
  }

  /** Applies the character map, then writes spaces as marks as the options say. */
  #normalize(text: string): Uint8Array {
    const input = this.#options.characterMap?.apply(text) ?? encoder.encode(text);
    const { addSpacePrefix, removeExtraWhitespaces } = this.#options;
    const output: number[] = [];
    if (addSpacePrefix && !removeExtraWhitespaces && input.length > 0) output.push(...MARK_BYTES);
    let inWord = false;
    for (const byte of input) {
      if (byte !== SPACE) {
        const between = output.length > 0 || addSpacePrefix;
        if (removeExtraWhitespaces && !inWord && between) output.push(...MARK_BYTES);
        output.push(byte);
      } else if (!removeExtraWhitespaces) {
        output.push(...MARK_BYTES);
      }
      inWord = byte !== SPACE;
    }
    return Uint8Array.from(output);
  }
}

function utf8Length(firstByte: number): number {
  return firstByte < 0x80 ? 1 : firstByte < 0xe0 ? 2 : firstByte < 0xf0 ? 3 : 4;
}
