/** Metadata for tokenizer tests, built from plain values instead of a file. */
import { Metadata, type StoredValue, StringArray } from "../../src/gguf/mod.ts";

/** A plain value: whole numbers become u32 (i32 arrays), others f32. */
export type PlainValue = string | number | boolean | readonly string[] | readonly number[] | Uint8Array;

/** Metadata with these keys; `tokenizer.ggml.` is prefixed to every key that does not begin with it or `general.`. */
export function metadataOf(values: Record<string, PlainValue>): Metadata {
  const entries = Object.entries(values).map(([key, value]) =>
    [/^(tokenizer|general)\./.test(key) ? key : `tokenizer.ggml.${key}`, store(value)] as const
  );
  return new Metadata(new Map(entries));
}

/** The 256 characters of GPT-2's byte alphabet, in the order of their code points. */
export function byteCharacters(): string[] {
  const shown = (c: number) => (c >= 0x21 && c <= 0x7e) || (c >= 0xa1 && c <= 0xff && c !== 0xad);
  const own = Array.from({ length: 256 }, (_, c) => c).filter(shown);
  return own.concat(Array.from({ length: 256 - own.length }, (_, i) => 0x100 + i)).map((c) =>
    String.fromCharCode(c)
  );
}

/** A byte-level BPE vocabulary: all bytes, what the merges make, then `extra` tokens as `[text, type]`. */
export function bytePairMetadata(
  merges: readonly string[],
  extra: readonly (readonly [string, number])[] = [],
  more: Record<string, PlainValue> = {},
): Metadata {
  const tokens = [
    ...byteCharacters(),
    ...merges.map((merge) => merge.replace(" ", "")),
    ...extra.map(([t]) => t),
  ];
  const types = tokens.map((_, id) => extra[id - tokens.length + extra.length]?.[1] ?? 1);
  return metadataOf({ model: "gpt2", pre: "gpt-2", tokens, token_type: types, merges, ...more });
}

/** `<0x00>` to `<0xFF>`. */
export function byteTokens(): string[] {
  return Array.from({ length: 256 }, (_, b) => `<0x${b.toString(16).toUpperCase().padStart(2, "0")}>`);
}

function store(value: PlainValue): StoredValue {
  if (typeof value === "string") return { type: "string", value: new TextEncoder().encode(value) };
  if (typeof value === "boolean") return { type: "bool", value };
  if (typeof value === "number") return { type: Number.isInteger(value) ? "u32" : "f32", value };
  if (value instanceof Uint8Array) return { type: "array", of: "u8", value };
  if (value.every((item) => typeof item === "string")) {
    return { type: "array", of: "string", value: strings(value) };
  }
  const numbers = value as readonly number[];
  return numbers.every(Number.isInteger)
    ? { type: "array", of: "i32", value: Int32Array.from(numbers) }
    : { type: "array", of: "f32", value: Float32Array.from(numbers) };
}

function strings(values: readonly string[]): StringArray {
  const encoded = values.map((text) => new TextEncoder().encode(text));
  const data = new Uint8Array(encoded.reduce((sum, bytes) => sum + bytes.length, 0));
  const ends = new Uint32Array(values.length);
  let end = 0;
  encoded.forEach((bytes, i) => {
    data.set(bytes, end);
    ends[i] = end += bytes.length;
  });
  return new StringArray(data, ends);
}
