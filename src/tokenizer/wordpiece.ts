/**
 * WordPiece (BERT): text is normalized and cut into words, and each word is covered from the left with the longest
 * pieces there are. GGUF writes pieces that begin a word with a leading U+2581 and continuations without `##`.
 * Reference: tokenization.py of the BERT repository, and BertNormalizer of the `tokenizers` library.
 */
import { SPACE_MARK } from "./space_marks.ts";
import type { TokenModel } from "./token_model.ts";
import { NO_TOKEN, type Vocabulary } from "./vocabulary.ts";

/** How BERT normalizes text. */
export interface WordPieceOptions {
  /** Lower the case. */
  lowercase: boolean;
  /** Decompose characters (accented letters, Hangul syllables) and drop the accents. */
  stripAccents: boolean;
  /** Token for a word that cannot be covered. */
  unknown: number;
}

const encoder = new TextEncoder();
/** A longer word is unknown, as in the original. */
const WORD_LIMIT = 100;

// Control, format and private-use characters but for the white space among them, and what stands for broken bytes.
const DROPPED = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\ufffd]/gu;
const SPACES = /\p{White_Space}+/u;
const ACCENTS = /\p{Mn}/gu;
const PUNCTUATION = /[!-/:-@[-`{-~\p{P}]/u;
// The blocks of ideographs that BERT isolates; the sixth begins at U+2B920 in the `tokenizers` library.
const IDEOGRAPH =
  /[\u4e00-\u9fff\u3400-\u4dbf\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b920}-\u{2ceaf}\uf900-\ufaff\u{2f800}-\u{2fa1f}]/u;
const ALONE = new RegExp(`${PUNCTUATION.source}|${IDEOGRAPH.source}`, "gu");

/** A BERT tokenizer's algorithm. */
export class WordPieceModel implements TokenModel {
  readonly #vocabulary: Vocabulary;
  readonly #options: WordPieceOptions;

  /** @param options Normalization, and what stands for unknown words. */
  constructor(vocabulary: Vocabulary, options: WordPieceOptions) {
    this.#vocabulary = vocabulary;
    this.#options = options;
  }

  /** See {@linkcode TokenModel}. */
  encode(text: string, _atStart: boolean, output: number[]): void {
    for (const word of this.#words(text)) {
      const pieces = this.#cover(word);
      if (pieces) output.push(...pieces);
      else output.push(this.#options.unknown);
    }
  }

  /** See {@linkcode TokenModel}. */
  bytes(id: number): Uint8Array {
    const text = this.#vocabulary.texts[id];
    return encoder.encode(text.startsWith(SPACE_MARK) ? " " + text.slice(SPACE_MARK.length) : text);
  }

  /** Normalizes and cuts: at white space, and around each punctuation mark and ideograph. */
  #words(text: string): string[] {
    let clean = text.replace(DROPPED, "");
    if (this.#options.stripAccents) clean = clean.normalize("NFD").replace(ACCENTS, "");
    // Letter by letter: the whole-string form would turn a final sigma, which BERT does not.
    if (this.#options.lowercase) clean = Array.from(clean, (character) => character.toLowerCase()).join("");
    return clean.replace(ALONE, " $& ").split(SPACES).filter((word) => word !== "");
  }

  /** The pieces of a word, or undefined when some part of it is no piece. */
  #cover(word: string): number[] | undefined {
    if (Array.from(word).length > WORD_LIMIT) return undefined;
    const marked = SPACE_MARK + word;
    const pieces: number[] = [];
    for (let at = 0; at < marked.length;) {
      let end = Math.min(marked.length, at + this.#vocabulary.longest);
      let id = NO_TOKEN;
      for (; end > at; end--) {
        id = this.#vocabulary.textIdOf(marked.slice(at, end));
        if (id !== NO_TOKEN) break;
      }
      if (id === NO_TOKEN) return undefined;
      pieces.push(id);
      at = end;
    }
    return pieces;
  }
}
