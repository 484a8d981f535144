/**
 * The key-value part of a GGUF file. Values keep their stored type; the getters convert, check, and name the key in
 * their errors. Strings are kept as bytes: vocabularies hold pieces that are not valid UTF-8 by themselves.
 */
import { UserError } from "../common/errors.ts";
import { quoted } from "./errors.ts";
import type { NumberArray, NumericType, ValueType } from "./value_types.ts";

// A leading U+FEFF is a character like any other here, not a byte order mark.
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** A long array of strings, decoded only when asked for. */
export class StringArray implements Iterable<string> {
  readonly #data: Uint8Array;
  readonly #ends: Uint32Array;

  /**
   * Takes over both arrays.
   * @param data All strings one after the other.
   * @param ends Where each string ends in `data`.
   */
  constructor(data: Uint8Array, ends: Uint32Array) {
    this.#data = data;
    this.#ends = ends;
  }

  /** Number of strings. */
  get length(): number {
    return this.#ends.length;
  }

  /** The raw bytes of string `index`, as a view. */
  bytes(index: number): Uint8Array {
    return this.#data.subarray(index === 0 ? 0 : this.#ends[index - 1], this.#ends[index]);
  }

  /** String `index`; bytes that are not UTF-8 become U+FFFD. */
  at(index: number): string {
    return utf8.decode(this.bytes(index));
  }

  /** All strings, in order. */
  *[Symbol.iterator](): Iterator<string> {
    for (let i = 0; i < this.length; i++) yield this.at(i);
  }

  /**
   * All strings as an ordinary array. A call of the decoder costs more than a short string, so that all are decoded as one and cut
   * apart, unless one of them is not UTF-8.
   */
  toArray(): string[] {
    const all = utf8.decode(this.#data);
    if (all.includes("\ufffd")) return Array.from(this);
    const strings = new Array<string>(this.length);
    let [byte, start, unit] = [0, 0, 0];
    for (let i = 0; i < strings.length; i++) {
      // The rest of a character whose first bytes end the string before.
      if (isContinuation(this.#data[byte]) && byte < this.#ends[i]) return Array.from(this);
      for (; byte < this.#ends[i]; byte++) {
        if (!isContinuation(this.#data[byte])) unit += this.#data[byte] >= 0xf0 ? 2 : 1;
      }
      strings[i] = all.slice(start, unit);
      start = unit;
    }
    return strings;
  }
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** A value as stored; a string is its bytes. */
export type StoredValue =
  | { readonly type: NumericType; readonly value: number | bigint }
  | { readonly type: "bool"; readonly value: boolean }
  | { readonly type: "string"; readonly value: Uint8Array }
  | { readonly type: "array"; readonly of: NumericType; readonly value: NumberArray }
  | { readonly type: "array"; readonly of: "bool"; readonly value: boolean[] }
  | { readonly type: "array"; readonly of: "string"; readonly value: StringArray };

/** What {@linkcode Metadata.get} returns; integers beyond 2^53 are bigints. */
export type MetadataValue = number | bigint | boolean | string | NumberArray | boolean[] | StringArray;

/** The metadata of a file, in file order. */
export class Metadata {
  readonly #values: ReadonlyMap<string, StoredValue>;

  /**
   * Takes over the map.
   * @param values Checked values by key.
   */
  constructor(values: ReadonlyMap<string, StoredValue>) {
    this.#values = values;
  }

  /** All keys, in file order. */
  keys(): string[] {
    return [...this.#values.keys()];
  }

  /** Whether the key exists. */
  has(key: string): boolean {
    return this.#values.has(key);
  }

  /** Type of the value, undefined where the key does not exist. */
  type(key: string): ValueType | undefined {
    return this.#values.get(key)?.type;
  }

  /** Element type of an array, undefined for anything else. */
  elementType(key: string): NumericType | "bool" | "string" | undefined {
    const stored = this.#values.get(key);
    return stored?.type === "array" ? stored.of : undefined;
  }

  /** Whether the value is an array. */
  isArray(key: string): boolean {
    return this.type(key) === "array";
  }

  /** The value as it is; undefined where the key does not exist. Never throws. */
  get(key: string): MetadataValue | undefined {
    const stored = this.#values.get(key);
    if (stored?.type === "string") return utf8.decode(stored.value);
    if (typeof stored?.value === "bigint") return exactNumber(stored.value);
    return stored?.value;
  }

  /** A string. Throws `UserError` where it is missing without a `fallback`, or has another type. */
  string(key: string, fallback?: string): string {
    const stored = this.#find(key, fallback !== undefined);
    if (!stored) return fallback!;
    return stored.type === "string" ? utf8.decode(stored.value) : wrongType(key, stored, "a string");
  }

  /** The raw bytes of a string. */
  bytes(key: string): Uint8Array {
    const stored = this.#find(key, false)!;
    return stored.type === "string" ? stored.value : wrongType(key, stored, "a string");
  }

  /** A finite number of any numeric type; an integer beyond 2^53 is an error, for it would not be exact. */
  number(key: string, fallback?: number): number {
    const stored = this.#find(key, fallback !== undefined);
    if (!stored) return fallback!;
    if (typeof stored.value !== "number" && typeof stored.value !== "bigint") {
      return wrongType(key, stored, "a number");
    }
    const value = exactNumber(stored.value);
    if (typeof value === "bigint") {
      throw new UserError(`Cannot use key ${quoted(key)}: ${value} is too large`);
    }
    if (!Number.isFinite(value)) throw new UserError(`Cannot use key ${quoted(key)}: ${value} is not finite`);
    return value;
  }

  /** A whole number within `[min, max]`, of any numeric type. */
  integer(key: string, range: { min: number; max: number }, fallback?: number): number {
    const value = this.number(key, fallback);
    if (!this.has(key)) return value;
    if (!Number.isInteger(value) || value < range.min || value > range.max) {
      throw new UserError(
        `Cannot use key ${quoted(key)}: ${value} is not a whole number from ${range.min} to ${range.max}`,
      );
    }
    return value;
  }

  /** True or false. */
  boolean(key: string, fallback?: boolean): boolean {
    const stored = this.#find(key, fallback !== undefined);
    if (!stored) return fallback!;
    return stored.type === "bool" ? stored.value : wrongType(key, stored, "a bool");
  }

  /** An array of strings. */
  strings(key: string): StringArray {
    const stored = this.#find(key, false)!;
    if (stored.type !== "array" || stored.of !== "string") {
      return wrongType(key, stored, "an array of strings");
    }
    return stored.value;
  }

  /** An array of numbers; 64-bit integers are converted, and must be exact. */
  numbers(key: string): Exclude<NumberArray, BigUint64Array | BigInt64Array> {
    const stored = this.#find(key, false)!;
    if (stored.type !== "array" || stored.of === "string" || stored.of === "bool") {
      return wrongType(key, stored, "an array of numbers");
    }
    const { value } = stored;
    if (!(value instanceof BigUint64Array || value instanceof BigInt64Array)) return value;
    const converted = new Float64Array(value.length);
    for (let i = 0; i < value.length; i++) {
      const exact = exactNumber(value[i]);
      if (typeof exact === "bigint") {
        throw new UserError(`Cannot use key ${quoted(key)}: ${exact} is too large`);
      }
      converted[i] = exact;
    }
    return converted;
  }

  /** An array of bools. */
  booleans(key: string): boolean[] {
    const stored = this.#find(key, false)!;
    if (stored.type !== "array" || stored.of !== "bool") return wrongType(key, stored, "an array of bools");
    return stored.value;
  }

  #find(key: string, optional: boolean): StoredValue | undefined {
    const stored = this.#values.get(key);
    if (!stored && !optional) {
      throw new UserError(`Cannot use this model: its file has no key ${quoted(key)}`);
    }
    return stored;
  }
}

/** A number where it is exact, the bigint where it is not. */
function exactNumber(value: number | bigint): number | bigint {
  if (typeof value === "number") return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function wrongType(key: string, stored: StoredValue, wanted: string): never {
  const found = stored.type === "array" ? `an array of ${stored.of}` : `of type ${stored.type}`;
  throw new UserError(`Cannot use key ${quoted(key)}: it must be ${wanted}, but is ${found}`);
}
