/**
 * Byte-pair encoding with a list of ranked merges (GPT-2 and nearly everything since).
 *
 * Two alphabets: byte level, where text becomes UTF-8 bytes and each byte a symbol; and Gemma 4's, where characters
 * are symbols, U+2581 stands for a space, and what the vocabulary lacks falls back to byte tokens.
 * Format: `tokenizer.ggml.merges` holds "left right" in order of rank.
 */
import { UserError } from "../common/errors.ts";
import { printable } from "../common/printable.ts";
import { BYTE_TO_CHARACTER, fromByteAlphabet, toByteAlphabet } from "./byte_level.ts";
import { type MergeRule, mergeSymbols } from "./merges.ts";
import { PairMap } from "./pair_map.ts";
import { type PreTokenizer, splitWords } from "./pre_tokenizers.ts";
import { fromSpaceMarks, toSpaceMarks } from "./space_marks.ts";
import type { TokenModel } from "./token_model.ts";
import { NO_TOKEN, type TextArray, type Vocabulary } from "./vocabulary.ts";

const encoder = new TextEncoder();
// Words beyond this length hardly recur, and the cache is emptied when it has grown to its limit.
const CACHED_WORD_LENGTH = 48;
const CACHE_LIMIT = 1 << 16;

/** A BPE tokenizer's algorithm. */
export class BytePairModel implements TokenModel {
  readonly #vocabulary: Vocabulary;
  readonly #pre: PreTokenizer;
  readonly #unknown: number | undefined;
  readonly #symbols: SymbolTable;
  readonly #rule: MergeTable;
  readonly #byteSymbols: Int32Array;
  readonly #cache = new Map<string, readonly number[]>();

  /** @param options.unknown Token for what has no other; by default it is left out, as the original tokenizers do. */
  constructor(
    vocabulary: Vocabulary,
    merges: TextArray,
    options: { pre: PreTokenizer; unknown?: number },
  ) {
    this.#vocabulary = vocabulary;
    this.#pre = options.pre;
    this.#unknown = options.unknown;
    this.#symbols = new SymbolTable(vocabulary);
    this.#rule = new MergeTable(merges, this.#symbols);
    this.#byteSymbols = Int32Array.from(BYTE_TO_CHARACTER, (character) => this.#symbols.of(character));
  }

  /** See {@linkcode TokenModel}. */
  encode(text: string, _atStart: boolean, output: number[]): void {
    const marked = this.#pre.characters ? toSpaceMarks(text) : text;
    for (const word of splitWords(marked, this.#pre.expressions)) {
      for (const id of this.#cachedWord(word)) output.push(id);
    }
  }

  /** See {@linkcode TokenModel}. */
  bytes(id: number): Uint8Array {
    const text = this.#vocabulary.texts[id];
    return this.#pre.characters ? encoder.encode(fromSpaceMarks(text)) : fromByteAlphabet(text);
  }

  #cachedWord(word: string): readonly number[] {
    if (word.length > CACHED_WORD_LENGTH) return this.#encodeWord(word);
    let ids = this.#cache.get(word);
    if (ids) return ids;
    if (this.#cache.size >= CACHE_LIMIT) this.#cache.clear();
    ids = this.#encodeWord(word);
    this.#cache.set(word, ids);
    return ids;
  }

  #encodeWord(word: string): number[] {
    const whole = this.#wholeWord(word);
    if (whole !== NO_TOKEN) return [whole];
    const ids: number[] = [];
    for (const symbol of mergeSymbols(this.#toSymbols(word), this.#rule)) this.#pushSymbol(symbol, ids);
    return ids;
  }

  /** The token that the word is without any merging, where the model has such a rule. */
  #wholeWord(word: string): number {
    if (this.#pre.characters) {
      // Gemma 4: runs of line breaks are tokens although no merges lead to them.
      return /^\n+$/.test(word) ? this.#vocabulary.textIdOf(word) : NO_TOKEN;
    }
    return this.#pre.ignoreMerges
      ? this.#vocabulary.textIdOf(toByteAlphabet(encoder.encode(word)))
      : NO_TOKEN;
  }

  #toSymbols(word: string): ArrayLike<number> {
    if (this.#pre.characters) return Array.from(word, (character) => this.#symbols.of(character));
    return Array.from(encoder.encode(word), (byte) => this.#byteSymbols[byte]);
  }

  #pushSymbol(symbol: number, ids: number[]): void {
    if (symbol < this.#vocabulary.size) {
      ids.push(symbol);
    } else if (this.#pre.characters) {
      this.#vocabulary.pushBytes(this.#symbols.text(symbol), this.#unknown, ids);
    } else {
      for (const character of this.#symbols.text(symbol)) {
        const id = this.#vocabulary.textIdOf(character);
        if (id !== NO_TOKEN) ids.push(id);
        else if (this.#unknown !== undefined) ids.push(this.#unknown);
      }
    }
  }
}

/** Numbers for symbols: the token id where the symbol is a token, numbers behind the vocabulary where it is not. */
class SymbolTable {
  readonly #vocabulary: Vocabulary;
  readonly #extra = new Map<string, number>();
  readonly #extraTexts: string[] = [];

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  of(text: string): number {
    const id = this.#vocabulary.textIdOf(text);
    if (id !== NO_TOKEN) return id;
    let symbol = this.#extra.get(text);
    if (symbol === undefined) {
      symbol = this.#vocabulary.size + this.#extraTexts.length;
      this.#extra.set(text, symbol);
      this.#extraTexts.push(text);
    }
    return symbol;
  }

  text(symbol: number): string {
    return symbol < this.#vocabulary.size
      ? this.#vocabulary.texts[symbol]
      : this.#extraTexts[symbol - this.#vocabulary.size];
  }
}

/** The merges by the pair of symbols that they join; a merge is named by its rank. */
class MergeTable implements MergeRule {
  readonly #ranks: PairMap;
  readonly #results: Int32Array;

  constructor(merges: TextArray, symbols: SymbolTable) {
    this.#ranks = new PairMap(merges.length);
    this.#results = new Int32Array(merges.length);
    for (const [rank, merge] of merges.toArray().entries()) {
      const space = merge.indexOf(" ", 1);
      if (space < 0) {
        throw new UserError(
          `Cannot use this model's tokenizer: merge ${rank} is "${
            printable(merge)
          }", not two symbols with a space ` +
            "between them",
        );
      }
      const left = merge.slice(0, space);
      const right = merge.slice(space + 1);
      const pair = [symbols.of(left), symbols.of(right)] as const;
      if (this.#ranks.get(...pair) >= 0) continue;
      this.#ranks.set(...pair, rank);
      this.#results[rank] = symbols.of(left + right);
    }
  }

  find(left: number, right: number): number {
    return this.#ranks.get(left, right);
  }

  rank(merge: number): number {
    return merge;
  }

  result(merge: number): number {
    return this.#results[merge];
  }
}
