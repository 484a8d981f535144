/**
 * The value types of GGUF metadata, in the order of their ids (`gguf_metadata_value_type` in the GGUF specification,
 * docs/gguf.md of the ggml repository).
 */

/** Names of the value types; the index is the id in the file. */
export const VALUE_TYPES = [
  "u8",
  "i8",
  "u16",
  "i16",
  "u32",
  "i32",
  "f32",
  "bool",
  "string",
  "array",
  "u64",
  "i64",
  "f64",
] as const;

/** Type of a metadata value. */
export type ValueType = typeof VALUE_TYPES[number];

/** Value types of a fixed size: all but strings and arrays. */
export type ScalarType = Exclude<ValueType, "string" | "array">;

/** Value types that are numbers. */
export type NumericType = Exclude<ScalarType, "bool">;

/** Bytes of each scalar. */
export const SCALAR_BYTES: Readonly<Record<ScalarType, number>> = {
  u8: 1,
  i8: 1,
  u16: 2,
  i16: 2,
  u32: 4,
  i32: 4,
  f32: 4,
  bool: 1,
  u64: 8,
  i64: 8,
  f64: 8,
};

/** An array of numbers as it is in the file. */
export type NumberArray =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | BigUint64Array
  | BigInt64Array
  | Float64Array;

/** Views `bytes`, little-endian and freshly allocated, as numbers. */
export function viewNumbers(type: NumericType, bytes: Uint8Array): NumberArray {
  const { buffer } = bytes;
  switch (type) {
    case "u8":
      return bytes;
    case "i8":
      return new Int8Array(buffer);
    case "u16":
      return new Uint16Array(buffer);
    case "i16":
      return new Int16Array(buffer);
    case "u32":
      return new Uint32Array(buffer);
    case "i32":
      return new Int32Array(buffer);
    case "f32":
      return new Float32Array(buffer);
    case "u64":
      return new BigUint64Array(buffer);
    case "i64":
      return new BigInt64Array(buffer);
    case "f64":
      return new Float64Array(buffer);
  }
}
