/**
 * A synthetic vocabulary of any size that real tokenizers accept: single bytes, then every word over a small alphabet from
 * the shortest on, each made by a merge of its beginning and its last letter.
 */
import type { MetadataEntry } from "../../src/gguf/mod.ts";
import { assert } from "../../src/common/assert.ts";
import type { TokenizerShape } from "./shapes.ts";

const LETTERS = "abcdefghijklmnopqrstuvwxyz";

/** `tokenizer.ggml.token_type`. */
const TYPE = { normal: 1, unknown: 2, control: 3, byte: 6 } as const;

/** The tokenizer's metadata: a vocabulary of `size` tokens. */
export function vocabularyMetadata(tokenizer: TokenizerShape, size: number): MetadataEntry[] {
  return [
    ["tokenizer.ggml.model", "string", tokenizer.model],
    ["tokenizer.ggml.pre", "string", tokenizer.pre],
    ...(tokenizer.model === "gpt2" ? byteLevel(size) : sentencePiece(size)),
    ...(tokenizer.spacePrefix === undefined
      ? []
      : [["tokenizer.ggml.add_space_prefix", "bool", tokenizer.spacePrefix] as const]),
  ];
}

function byteLevel(size: number): MetadataEntry[] {
  const control = ["<|begin|>", "<|end|>"];
  const bytes = byteCharacters();
  const words = wordsOf(LETTERS, size - bytes.length - control.length);
  const tokens = [...bytes, ...words, ...control];
  const types = tokens.map((_, id) => id < size - control.length ? TYPE.normal : TYPE.control);
  return [
    ["tokenizer.ggml.tokens", "string[]", tokens],
    ["tokenizer.ggml.token_type", "i32[]", types],
    ["tokenizer.ggml.merges", "string[]", words.map((word) => `${word.slice(0, -1)} ${word.at(-1)}`)],
    ["tokenizer.ggml.bos_token_id", "u32", size - 2],
    ["tokenizer.ggml.eos_token_id", "u32", size - 1],
    ["tokenizer.ggml.padding_token_id", "u32", size - 1],
    ["tokenizer.ggml.add_bos_token", "bool", false],
  ];
}

function sentencePiece(size: number): MetadataEntry[] {
  const special = ["<unk>", "<s>", "</s>"];
  const bytes = Array.from(
    { length: 256 },
    (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`,
  );
  const alphabet = `▁${LETTERS}`;
  const letters = [...alphabet];
  const words = wordsOf(alphabet, size - special.length - bytes.length - letters.length);
  const tokens = [...special, ...bytes, ...letters, ...words];
  const types = [
    ...[TYPE.unknown, TYPE.control, TYPE.control],
    ...bytes.map(() => TYPE.byte),
    ...[...letters, ...words].map(() => TYPE.normal),
  ];
  const firstPiece = special.length + bytes.length;
  return [
    ["tokenizer.ggml.tokens", "string[]", tokens],
    ["tokenizer.ggml.scores", "f32[]", tokens.map((_, id) => id < firstPiece ? 0 : firstPiece - id)],
    ["tokenizer.ggml.token_type", "i32[]", types],
    ["tokenizer.ggml.bos_token_id", "u32", 1],
    ["tokenizer.ggml.eos_token_id", "u32", 2],
    ["tokenizer.ggml.unknown_token_id", "u32", 0],
    ["tokenizer.ggml.padding_token_id", "u32", 0],
    ["tokenizer.ggml.add_bos_token", "bool", true],
    ["tokenizer.ggml.add_eos_token", "bool", false],
  ];
}

/** The first `count` words of two letters and more over `alphabet`, shorter ones first. */
function wordsOf(alphabet: string, count: number): string[] {
  assert(count >= 0, "a vocabulary has more tokens than bytes and special tokens");
  const words = [...alphabet];
  for (let shorter = 0; words.length < alphabet.length + count; shorter++) {
    for (const letter of alphabet) words.push(words[shorter] + letter);
  }
  return words.slice(alphabet.length, alphabet.length + count);
}

/** One character for each byte: printable ones stand for themselves, the others follow from U+0100 on (GPT-2). */
function byteCharacters(): string[] {
  let unprintable = 0;
  return Array.from({ length: 256 }, (_, byte) => {
    const printable = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
    return String.fromCodePoint(printable ? byte : 0x100 + unprintable++);
  });
}
