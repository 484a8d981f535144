/**
 * The token list of a GGUF file: texts, types, scores and the ids with a role.
 *
 * Keys and type numbers: "tokenizer.ggml.*" in docs/gguf.md of the ggml repository; the names of what ends a
 * generation follow llama.cpp (src/llama-vocab.cpp), whose converters leave some of them out of the metadata.
 */
import { UserError } from "../common/errors.ts";
import { printable } from "../common/printable.ts";
import { looksLikeControl } from "./special_names.ts";

/** An array of strings of a file. */
export interface TextArray {
  /** Number of strings. */
  readonly length: number;
  /** String `index`; bytes that are not UTF-8 become U+FFFD. */
  at(index: number): string;
  /** The raw bytes of string `index`. */
  bytes(index: number): Uint8Array;
  /** All strings. */
  toArray(): string[];
}

/** The part of a file's metadata that the tokenizers read; `Metadata` of src/gguf has it. */
export interface TokenizerMetadata {
  /** Whether the key exists. */
  has(key: string): boolean;
  /** Whether its value is an array. */
  isArray(key: string): boolean;
  /** A string; as the others, throws `UserError` for another type, or where it is missing without a `fallback`. */
  string(key: string, fallback?: string): string;
  /** A number. */
  number(key: string, fallback?: number): number;
  /** True or false. */
  boolean(key: string, fallback?: boolean): boolean;
  /** An array of strings. */
  strings(key: string): TextArray;
  /** An array of numbers. */
  numbers(key: string): ArrayLike<number>;
}

/** Token types as `tokenizer.ggml.token_type` stores them. */
export const TOKEN_TYPE = { normal: 1, unknown: 2, control: 3, userDefined: 4, unused: 5, byte: 6 } as const;

/** Returned by {@linkcode Vocabulary.idOf} for a text that is no token. */
export const NO_TOKEN = -1;

const BYTE_TOKEN = /^<0x([0-9A-F]{2})>$/i;
const encoder = new TextEncoder();

/** The tokens of a model, checked: parallel arrays of equal length, byte tokens well formed. */
export class Vocabulary {
  /** Number of tokens. */
  readonly size: number;
  /** Each token as the file writes it (`Ġthe`, `▁the`, `<0x0A>`). */
  readonly texts: readonly string[];
  /** {@linkcode TOKEN_TYPE} of each token. */
  readonly types: Uint8Array;
  /** Score of each token; SentencePiece models only. */
  readonly scores: ArrayLike<number> | undefined;
  /** UTF-16 length of the longest token. */
  readonly longest: number;
  /** Token of each byte value, {@linkcode NO_TOKEN} where there is none. */
  readonly byteTokens: Int32Array = new Int32Array(256).fill(NO_TOKEN);
  readonly #raw: TextArray;
  readonly #ids = new Map<string, number>();

  /** Reads and checks the token arrays. Throws {@linkcode UserError} naming the key or token at fault. */
  constructor(metadata: TokenizerMetadata) {
    this.#raw = metadata.strings("tokenizer.ggml.tokens");
    this.size = this.#raw.length;
    if (this.size === 0) {
      throw new UserError('Cannot use this model: its key "tokenizer.ggml.tokens" is empty');
    }
    this.texts = this.#raw.toArray();
    this.types = this.#readTypes(metadata);
    this.scores = readParallel(metadata, "tokenizer.ggml.scores", this.size);
    let longest = 0;
    for (let id = 0; id < this.size; id++) {
      const text = this.texts[id];
      longest = Math.max(longest, text.length);
      if (text !== "" && !this.#ids.has(text)) this.#ids.set(text, id);
      if (this.types[id] === TOKEN_TYPE.byte) this.byteTokens[this.byteValue(id)] = id;
    }
    this.longest = longest;
  }

  /** The token that the file writes as `text`, or {@linkcode NO_TOKEN}. */
  idOf(text: string): number {
    return this.#ids.get(text) ?? NO_TOKEN;
  }

  /** As {@linkcode idOf}, but only tokens that text may become: no control, unknown or byte tokens. */
  textIdOf(text: string): number {
    const id = this.idOf(text);
    return id !== NO_TOKEN && this.isText(id) ? id : NO_TOKEN;
  }

  /** Whether the token stands for text, as opposed to a role or a raw byte. */
  isText(id: number): boolean {
    const type = this.types[id];
    return type !== TOKEN_TYPE.control && type !== TOKEN_TYPE.unknown && type !== TOKEN_TYPE.byte;
  }

  /** Whether the token is for the model's eyes only. */
  isControl(id: number): boolean {
    return this.types[id] === TOKEN_TYPE.control || this.types[id] === TOKEN_TYPE.unknown;
  }

  /** The bytes of the token's text as the file has them, which need not be UTF-8. */
  rawBytes(id: number): Uint8Array {
    return this.#raw.bytes(id);
  }

  /** The byte that a byte token stands for. Throws {@linkcode UserError} for one that is not `<0x00>` to `<0xFF>`. */
  byteValue(id: number): number {
    const match = BYTE_TOKEN.exec(this.texts[id]);
    if (match) return parseInt(match[1], 16);
    throw new UserError(
      `Cannot use this model's tokenizer: token ${id} is marked as a byte but reads "${
        printable(this.texts[id])
      }", ` +
        `not <0x00> to <0xFF>`,
    );
  }

  /** Appends the byte tokens of `text` in UTF-8 to `output`; `unknown` where one of them does not exist. */
  pushBytes(text: string, unknown: number | undefined, output: number[]): void {
    const ids = Array.from(encoder.encode(text), (byte) => this.byteTokens[byte]);
    if (!ids.includes(NO_TOKEN)) output.push(...ids);
    else if (unknown !== undefined) output.push(unknown);
  }

  #readTypes(metadata: TokenizerMetadata): Uint8Array {
    const stored = readParallel(metadata, "tokenizer.ggml.token_type", this.size);
    const types = stored ? Uint8Array.from(stored) : new Uint8Array(this.size).fill(TOKEN_TYPE.normal);
    for (let id = 0; id < this.size; id++) {
      const ordinary = types[id] === TOKEN_TYPE.normal || types[id] === TOKEN_TYPE.userDefined;
      if (ordinary && looksLikeControl(this.texts[id])) types[id] = TOKEN_TYPE.control;
    }
    return types;
  }
}

function readParallel(metadata: TokenizerMetadata, key: string, size: number): ArrayLike<number> | undefined {
  if (!metadata.has(key)) return undefined;
  const values = metadata.numbers(key);
  if (values.length === size) return values;
  throw new UserError(
    `Cannot use this model's tokenizer: key "${key}" has ${values.length} entries, but there are ${size} tokens`,
  );
}
