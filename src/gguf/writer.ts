/**
 * Writes GGUF version 3 files: for synthetic models, for converted ones and for tests. Data is streamed, so that a
 * model never has to fit into memory, and the file appears under its name only when it is complete.
 */
import { assert } from "../common/assert.ts";
import { UserError } from "../common/errors.ts";
import { type FormatName, FORMATS, tensorBytes } from "../quant/formats.ts";
import { ByteWriter } from "./byte_writer.ts";
import { quotedPath } from "./errors.ts";
import { alignUp } from "./header.ts";
import { DEFAULT_ALIGNMENT } from "./limits.ts";
import { type NumericType, SCALAR_BYTES, type ScalarType, VALUE_TYPES, viewNumbers } from "./value_types.ts";

/** Type of a value to write; arrays are `"u32[]"`, `"string[]"` and so on. */
export type EntryType = ScalarType | "string" | `${ScalarType | "string"}[]`;

/** One value; strings that are not UTF-8 are given as bytes. */
export type Scalar = number | bigint | boolean | string | Uint8Array;

/** A key, its type, and its value (an iterable for arrays). */
export type MetadataEntry = readonly [key: string, type: EntryType, value: Scalar | Iterable<Scalar>];

/** A tensor to write. */
export interface TensorData {
  /** Unique in the file. */
  readonly name: string;
  /** The block format of `data`. */
  readonly format: FormatName;
  /** Extents in ggml's order: the first is the row length. */
  readonly dims: readonly number[];
  /** The data in file layout, whole or piece by piece. */
  readonly data: Uint8Array | (() => Iterable<Uint8Array>);
}

/** A model to write. */
export interface GgufContents {
  /** Keys in file order. */
  readonly metadata: readonly MetadataEntry[];
  /** Tensors in file order. */
  readonly tensors: readonly TensorData[];
  /** Alignment of the tensors, default 32; any other is recorded as `general.alignment`. */
  readonly alignment?: number;
}

const MAGIC = 0x46554747; // "GGUF"
const VERSION = 3;

/** Writes a GGUF file. Throws `UserError` where the disk refuses; nothing is left behind then. */
export function writeGguf(path: string, contents: GgufContents): void {
  const temporary = `${path}.${crypto.randomUUID().slice(0, 8)}.tmp`;
  try {
    {
      using file = Deno.openSync(temporary, { write: true, createNew: true });
      writeContents(file, contents);
      file.syncSync();
    }
    Deno.renameSync(temporary, path);
  } catch (error) {
    removeIfThere(temporary);
    if (!isSystemError(error)) throw error;
    throw new UserError(`Cannot write ${quotedPath(path)}: ${error.message}`, { cause: error });
  }
}

/** The header of a GGUF file, up to where the tensor data starts. */
export function ggufHeader({ metadata, tensors, alignment = DEFAULT_ALIGNMENT }: GgufContents): Uint8Array {
  const entries = alignment === DEFAULT_ALIGNMENT
    ? metadata
    : [["general.alignment", "u32", alignment] as const, ...metadata];
  const out = new ByteWriter();
  out.u32(MAGIC);
  out.u32(VERSION);
  out.u64(tensors.length);
  out.u64(entries.length);
  for (const entry of entries) writeEntry(out, entry);
  let offset = 0;
  for (const { name, format, dims } of tensors) {
    out.string(name);
    out.u32(dims.length);
    for (const extent of dims) out.u64(extent);
    out.u32(FORMATS[format].ggmlType);
    out.u64(offset);
    offset = alignUp(offset + bytesOf(format, dims), alignment);
  }
  out.align(alignment);
  return out.written();
}

function writeContents(file: Deno.FsFile, contents: GgufContents): void {
  const alignment = contents.alignment ?? DEFAULT_ALIGNMENT;
  writeAll(file, ggufHeader(contents));
  for (const { name, format, dims, data } of contents.tensors) {
    const expected = bytesOf(format, dims);
    let written = 0;
    for (const piece of data instanceof Uint8Array ? [data] : data()) {
      writeAll(file, piece);
      written += piece.length;
    }
    assert(written === expected, `${name}: ${written} bytes of data, [${dims}] ${format} needs ${expected}`);
    writeAll(file, new Uint8Array(alignUp(written, alignment) - written));
  }
}

function bytesOf(format: FormatName, dims: readonly number[]): number {
  assert(dims[0] % FORMATS[format].blockLength === 0, `rows of ${dims[0]} are not whole ${format} blocks`);
  return tensorBytes(format, dims.reduce((product, extent) => product * extent, 1));
}

function writeEntry(out: ByteWriter, [key, type, value]: MetadataEntry): void {
  out.string(key);
  if (!type.endsWith("[]")) {
    out.u32(idOf(type));
    writeValue(out, type as ScalarType | "string", value as Scalar);
    return;
  }
  const of = type.slice(0, -2) as ScalarType | "string";
  const items = Array.from(value as Iterable<Scalar>);
  out.u32(idOf("array"));
  out.u32(idOf(of));
  out.u64(items.length);
  for (const item of items) writeValue(out, of, item);
}

function writeValue(out: ByteWriter, type: ScalarType | "string", value: Scalar): void {
  if (type === "string") {
    assert(typeof value === "string" || value instanceof Uint8Array, `${value} is not a string`);
    out.string(value);
  } else if (type === "bool") {
    assert(typeof value === "boolean", `${value} is not a bool`);
    out.bytes(Uint8Array.of(value ? 1 : 0));
  } else {
    assert(typeof value === "number" || typeof value === "bigint", `${value} is not a number`);
    out.bytes(encodeNumber(type, value));
  }
}

function encodeNumber(type: NumericType, value: number | bigint): Uint8Array {
  const bytes = new Uint8Array(SCALAR_BYTES[type]);
  const numbers = viewNumbers(type, bytes);
  if (type === "f32" || type === "f64") {
    numbers[0] = Number(value);
    return bytes;
  }
  assert(typeof value === "bigint" || Number.isInteger(value), `${value} is not a ${type}`);
  if (numbers instanceof BigUint64Array || numbers instanceof BigInt64Array) numbers[0] = BigInt(value);
  else numbers[0] = Number(value);
  assert(BigInt(numbers[0]) === BigInt(value), `${value} is not a ${type}`);
  return bytes;
}

function idOf(type: string): number {
  const id = (VALUE_TYPES as readonly string[]).indexOf(type);
  assert(id >= 0, `${type} is not a GGUF value type`);
  return id;
}

function writeAll(file: Deno.FsFile, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += file.writeSync(bytes.subarray(done));
}

function removeIfThere(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Whether the operating system refused, rather than zinc being wrong. */
function isSystemError(error: unknown): error is Error {
  return error instanceof Error && "code" in error;
}
