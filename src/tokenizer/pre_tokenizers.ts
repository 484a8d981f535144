/**
 * Pre-tokenizers: cut text into the words that byte-pair encoding works on. Which expressions a model uses is a row
 * of the table in pre_tokenizer_table.ts; here they are translated for JavaScript and applied.
 */
import { type DigitGroups, PRE_TOKENIZER_ROWS, type PreTokenizerRow } from "./pre_tokenizer_table.ts";

/** One step of cutting. */
export type WordExpression = RegExp | DigitGroups;

/** How a BPE model cuts text into words. */
export interface PreTokenizer {
  /** Applied in order. */
  readonly expressions: readonly WordExpression[];
  /** A word that is itself a token is that token, whatever the merges say. */
  readonly ignoreMerges: boolean;
  /** Whether words are made of characters, with U+2581 for a space, instead of bytes. */
  readonly characters: boolean;
  /** Whether BOS is added where the file does not say. */
  readonly addBos: boolean;
}

const rows = new Map<string, PreTokenizerRow>(
  PRE_TOKENIZER_ROWS.flatMap((row) => row.names.map((name) => [name, row] as const)),
);

/** Values of `tokenizer.ggml.pre` that are known. */
export function preTokenizerNames(): string[] {
  return [...rows.keys()];
}

/** The pre-tokenizer of that name, or undefined. */
export function preTokenizer(name: string): PreTokenizer | undefined {
  const row = rows.get(name);
  return row && {
    expressions: row.expressions.map((step) => typeof step === "string" ? compile(step) : step),
    ignoreMerges: row.ignoreMerges ?? false,
    characters: row.characters ?? false,
    addBos: row.addBos ?? false,
  };
}

/**
 * Cuts `text`: every match of an expression is a word, and so is every stretch between two matches, so that the
 * words joined are the text.
 */
export function splitWords(text: string, expressions: readonly WordExpression[]): string[] {
  let words = text === "" ? [] : [text];
  for (const expression of expressions) {
    const finer: string[] = [];
    for (const word of words) {
      if (expression instanceof RegExp) splitWord(word, expression, finer);
      else splitDigits(word, expression, finer);
    }
    words = finer;
  }
  return words;
}

function splitWord(word: string, expression: RegExp, output: string[]): void {
  let end = 0;
  for (const match of word.matchAll(expression)) {
    if (match.index > end) output.push(word.slice(end, match.index));
    end = match.index + match[0].length;
    if (match[0] !== "") output.push(match[0]);
  }
  if (end < word.length) output.push(word.slice(end));
}

const DIGITS = /\p{Nd}+/gu;
const WORD_CHARACTER = /^[\p{L}\p{M}\p{N}\p{Pc}]/u;

function splitDigits(word: string, rule: DigitGroups, output: string[]): void {
  let end = 0;
  for (const match of word.matchAll(DIGITS)) {
    const after = match.index + match[0].length;
    if (rule.groupDigits === "word-end" && WORD_CHARACTER.test(word.slice(after, after + 2))) continue;
    if (match.index > end) output.push(word.slice(end, match.index));
    const digits = Array.from(match[0]);
    const first = digits.length % 3 || 3;
    output.push(digits.slice(0, first).join(""));
    for (let i = first; i < digits.length; i += 3) output.push(digits.slice(i, i + 3).join(""));
    end = after;
  }
  if (end < word.length) output.push(word.slice(end));
}

// JavaScript's \s lacks U+0085 and has U+FEFF; its \d is ASCII only; scripts have a longer name.
const TRANSLATIONS: readonly (readonly [string, string])[] = [
  ["\\s", "\\p{White_Space}"],
  ["\\S", "\\P{White_Space}"],
  ["\\d", "\\p{Nd}"],
  ["\\p{Han}", "\\p{Script=Han}"],
];

function compile(expression: string): RegExp {
  const translated = TRANSLATIONS.reduce((text, [from, to]) => text.replaceAll(from, to), expression);
  return new RegExp(translated, "gu");
}
