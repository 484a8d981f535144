/**
 * SentencePiece's BPE (LLaMA 2, Mistral, Gemma 1 to 3): characters are joined in the order of the scores of the
 * pieces they make, and what is no piece in the end falls back to byte tokens.
 * Reference: bpe_model.cc of the SentencePiece repository.
 */
import { type MergeRule, mergeSymbols } from "./merges.ts";
import { fromSpaceMarks, SPACE_MARK, toSpaceMarks } from "./space_marks.ts";
import type { TokenModel } from "./token_model.ts";
import { NO_TOKEN, type Vocabulary } from "./vocabulary.ts";

const encoder = new TextEncoder();

/** A SentencePiece BPE tokenizer's algorithm. */
export class SentencePieceModel implements TokenModel {
  readonly #vocabulary: Vocabulary;
  readonly #scores: ArrayLike<number>;
  readonly #addSpacePrefix: boolean;
  readonly #unknown: number | undefined;

  /**
   * @param scores Score of each token; the highest is joined first.
   * @param options.addSpacePrefix Whether text at the start gets a leading space.
   * @param options.unknown Token for what has not even byte tokens.
   */
  constructor(
    vocabulary: Vocabulary,
    scores: ArrayLike<number>,
    options: { addSpacePrefix: boolean; unknown?: number },
  ) {
    this.#vocabulary = vocabulary;
    this.#scores = scores;
    this.#addSpacePrefix = options.addSpacePrefix;
    this.#unknown = options.unknown;
  }

  /** See {@linkcode TokenModel}. */
  encode(text: string, atStart: boolean, output: number[]): void {
    const marked = (atStart && this.#addSpacePrefix ? SPACE_MARK : "") + toSpaceMarks(text);
    const rule = new ScoreRule(this.#vocabulary, this.#scores);
    const symbols = Array.from(marked, (character) => rule.symbol(character));
    for (const symbol of mergeSymbols(symbols, rule)) {
      if (symbol < this.#vocabulary.size) output.push(symbol);
      else this.#vocabulary.pushBytes(rule.text(symbol), this.#unknown, output);
    }
  }

  /** See {@linkcode TokenModel}. */
  bytes(id: number): Uint8Array {
    return encoder.encode(fromSpaceMarks(this.#vocabulary.texts[id]));
  }
}

/** Two symbols merge when their joined text is a token. Characters that are none get numbers behind the vocabulary. */
class ScoreRule implements MergeRule {
  readonly #vocabulary: Vocabulary;
  readonly #scores: ArrayLike<number>;
  readonly #strangers: string[] = [];
  readonly #strangerOf = new Map<string, number>();

  constructor(vocabulary: Vocabulary, scores: ArrayLike<number>) {
    this.#vocabulary = vocabulary;
    this.#scores = scores;
  }

  symbol(character: string): number {
    const id = this.#vocabulary.textIdOf(character);
    if (id !== NO_TOKEN) return id;
    let symbol = this.#strangerOf.get(character);
    if (symbol === undefined) {
      symbol = this.#vocabulary.size + this.#strangers.push(character) - 1;
      this.#strangerOf.set(character, symbol);
    }
    return symbol;
  }

  text(symbol: number): string {
    const { size, texts } = this.#vocabulary;
    return symbol < size ? texts[symbol] : this.#strangers[symbol - size];
  }

  find(left: number, right: number): number {
    const first = this.text(left);
    const second = this.text(right);
    if (first.length + second.length > this.#vocabulary.longest) return NO_TOKEN;
    return this.#vocabulary.textIdOf(first + second);
  }

  rank(merge: number): number {
    return -this.#scores[merge];
  }

  result(merge: number): number {
    return merge;
  }
}
