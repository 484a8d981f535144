/**
 * Parses the header of one GGUF file: magic, version, counts, metadata, tensor table. The layout is that of the GGUF
 * specification (docs/gguf.md of the ggml repository); versions 2 and 3 differ in nothing that is read here.
 */
import type { FormatName } from "../quant/format.ts";
import { formatOfGgmlType } from "../quant/formats.ts";
import { quoted } from "./errors.ts";
import type { HeaderReader } from "./header_reader.ts";
import {
  DEFAULT_ALIGNMENT,
  MAX_ALIGNMENT,
  MAX_DIMENSIONS,
  MAX_HEADER_BYTES,
  MAX_KEY_BYTES,
  MAX_KEYS,
  MAX_STRING_BYTES,
  MAX_TENSOR_NAME_BYTES,
  MAX_TENSORS,
} from "./limits.ts";
import { Metadata, type StoredValue, StringArray } from "./metadata.ts";
import { SCALAR_BYTES, VALUE_TYPES, type ValueType, viewNumbers } from "./value_types.ts";

/** A tensor as the table describes it. */
export interface TableEntry {
  readonly name: string;
  /** Undefined where zinc does not know the type. */
  readonly format?: FormatName;
  /** The type id in the file. */
  readonly ggmlType: number;
  /** Extents in ggml's order: the first is the row length. */
  readonly dims: number[];
  readonly elements: number;
  /** Bytes of the data; undefined where the type is not known. */
  readonly bytes?: number;
  /** Bytes from the start of the data section. */
  readonly offset: number;
}

/** All that precedes the tensor data. */
export interface Header {
  readonly version: number;
  readonly metadata: Metadata;
  readonly table: TableEntry[];
  /** Where the data section starts. */
  readonly dataStart: number;
}

/** Smallest possible metadata entry: key length 8, key 1, type 4, value 1. */
const MIN_ENTRY_BYTES = 14;
/** Smallest possible table entry: name length 8, name 1, dimension count 4, dimension 8, type 4, offset 8. */
const MIN_TABLE_ENTRY_BYTES = 33;

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** `value` rounded up to a multiple of `alignment`, exact for every file size. */
export function alignUp(value: number, alignment: number): number {
  return Math.ceil(value / alignment) * alignment;
}

/** Reads a whole header. Throws `UserError` that names the field and its byte. */
export function readHeader(reader: HeaderReader): Header {
  reader.field = "magic";
  reader.u32();
  const version = readVersion(reader);
  reader.field = "number of tensors";
  const tensorCount = reader.count("tensors", MIN_TABLE_ENTRY_BYTES, MAX_TENSORS);
  reader.field = "number of keys";
  const keyCount = reader.count("keys", MIN_ENTRY_BYTES, MAX_KEYS);
  const metadata = readMetadata(reader, keyCount);
  const alignment = readAlignment(reader, metadata);
  const table = readTable(reader, tensorCount, alignment);
  return { version, metadata, table, dataStart: alignUp(reader.position, alignment) };
}

function readVersion(reader: HeaderReader): number {
  reader.field = "version";
  const at = reader.position;
  const version = reader.u32();
  if (version === 2 || version === 3) return version;
  if (version === 1) reader.fail("GGUF version 1 is no longer read; convert the model again", at);
  if (version !== 0 && (version & 0xffff) === 0) {
    reader.fail(
      "the file is big-endian; zinc reads little-endian GGUF, so that the model must be converted",
      at,
    );
  }
  if (version > 3) reader.fail(`GGUF version ${version} is newer than the supported versions 2 and 3`, at);
  reader.fail(`version ${version} does not exist; supported are 2 and 3`, at);
}

function readMetadata(reader: HeaderReader, count: number): Metadata {
  const values = new Map<string, StoredValue>();
  for (let i = 0; i < count; i++) {
    reader.field = `name of key ${i}`;
    const at = reader.position;
    const length = reader.count("bytes", 1, MAX_KEY_BYTES);
    const key = utf8.decode(reader.bytes(length));
    if (key === "") reader.fail("the key is empty", at);
    if (values.has(key)) reader.fail(`the key ${quoted(key)} appears twice`, at);
    reader.field = `type of key ${quoted(key)}`;
    const type = readValueType(reader);
    reader.field = `value of key ${quoted(key)}`;
    values.set(key, readValue(reader, type));
  }
  return new Metadata(values);
}

function readValueType(reader: HeaderReader): ValueType {
  const at = reader.position;
  const id = reader.u32();
  if (id >= VALUE_TYPES.length) {
    reader.fail(`type ${id} does not exist; known are 0 (u8) to ${VALUE_TYPES.length - 1} (f64)`, at);
  }
  return VALUE_TYPES[id];
}

function readValue(reader: HeaderReader, type: ValueType): StoredValue {
  if (type === "array") return readArray(reader);
  if (type === "string") return { type, value: reader.bytes(reader.count("bytes", 1, MAX_STRING_BYTES)) };
  if (type === "bool") return { type, value: readBoolean(reader) };
  return { type, value: viewNumbers(type, reader.bytes(SCALAR_BYTES[type]))[0] };
}

function readBoolean(reader: HeaderReader): boolean {
  const at = reader.position;
  const byte = reader.u8();
  if (byte > 1) reader.fail(`a bool is 0 or 1, not ${byte}`, at);
  return byte === 1;
}

function readArray(reader: HeaderReader): StoredValue {
  const at = reader.position;
  const of = readValueType(reader);
  if (of === "array") reader.fail("arrays of arrays are not supported", at);
  if (of === "string") {
    return {
      type: "array",
      of,
      value: readStrings(reader, reader.count("strings", 8, MAX_HEADER_BYTES / 8)),
    };
  }
  const size = SCALAR_BYTES[of];
  const count = reader.count(`elements of ${size} bytes`, size, MAX_HEADER_BYTES / size);
  if (of === "bool") return { type: "array", of, value: readBooleans(reader, count) };
  return { type: "array", of, value: viewNumbers(of, reader.bytes(count * size)) };
}

function readBooleans(reader: HeaderReader, count: number): boolean[] {
  const values: boolean[] = [];
  for (let i = 0; i < count; i++) values.push(readBoolean(reader));
  return values;
}

/** Reads `count` strings; the memory grows with what has been read, not with what was declared. */
function readStrings(reader: HeaderReader, count: number): StringArray {
  let data = new Uint8Array(64 * 1024);
  let ends = new Uint32Array(Math.min(count, 16 * 1024));
  let end = 0;
  for (let i = 0; i < count; i++) {
    const length = reader.count("bytes", 1, MAX_STRING_BYTES);
    reader.need(length);
    if (end + length > data.length) data = grown(data, Math.max(2 * data.length, end + length));
    if (i === ends.length) {
      const more = new Uint32Array(Math.min(count, 2 * ends.length));
      more.set(ends);
      ends = more;
    }
    reader.readInto(data.subarray(end, end + length));
    end += length;
    ends[i] = end;
  }
  return new StringArray(data.slice(0, end), ends);
}

function grown(data: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const more = new Uint8Array(length);
  more.set(data);
  return more;
}

function readAlignment(reader: HeaderReader, metadata: Metadata): number {
  const key = "general.alignment";
  if (!metadata.has(key)) return DEFAULT_ALIGNMENT;
  reader.field = `key ${quoted(key)} in the header that ends`;
  const type = metadata.type(key);
  if (type !== "u32") reader.fail(`its type must be u32, but is ${type}`);
  const alignment = metadata.number(key);
  if (alignment < 1 || alignment > MAX_ALIGNMENT || !Number.isInteger(Math.log2(alignment))) {
    reader.fail(`${alignment} is not a power of two from 1 to ${MAX_ALIGNMENT}`);
  }
  return alignment;
}

function readTable(reader: HeaderReader, count: number, alignment: number): TableEntry[] {
  const table: TableEntry[] = [];
  const names = new Set<string>();
  for (let i = 0; i < count; i++) {
    reader.field = `name of tensor ${i}`;
    const at = reader.position;
    const name = utf8.decode(reader.bytes(reader.count("bytes", 1, MAX_TENSOR_NAME_BYTES)));
    if (name === "") reader.fail("the name is empty", at);
    if (names.has(name)) reader.fail(`the name ${quoted(name)} appears twice`, at);
    names.add(name);
    table.push(readTableEntry(reader, name, alignment));
  }
  return table;
}

function readTableEntry(reader: HeaderReader, name: string, alignment: number): TableEntry {
  reader.field = `dimensions of tensor ${quoted(name)}`;
  const dimsAt = reader.position;
  const dimCount = reader.u32();
  if (dimCount < 1 || dimCount > MAX_DIMENSIONS) {
    reader.fail(`${dimCount} dimensions, but 1 to ${MAX_DIMENSIONS} are allowed`, dimsAt);
  }
  const extents: bigint[] = [];
  for (let i = 0; i < dimCount; i++) extents.push(reader.u64());
  reader.field = `type of tensor ${quoted(name)}`;
  const ggmlType = reader.u32();
  const format = formatOfGgmlType(ggmlType);
  reader.field = `size of tensor ${quoted(name)}`;
  const negative = extents.find((extent) => extent >= 2n ** 63n);
  if (negative !== undefined) {
    reader.fail(`the extent ${BigInt.asIntN(64, negative)} is negative`, dimsAt);
  }
  if (format && extents[0] % BigInt(format.blockLength) !== 0n) {
    const { name, blockLength } = format;
    reader.fail(
      `its rows of ${extents[0]} are not divisible by ${blockLength}, the block length of ${name}`,
      dimsAt,
    );
  }
  const elements = extents.reduce((product, extent) => product * extent, 1n);
  const bytes = format && (elements / BigInt(format.blockLength)) * BigInt(format.blockBytes);
  const largest = [...extents, elements, bytes ?? 0n].find((n) => n > Number.MAX_SAFE_INTEGER);
  if (largest !== undefined) {
    reader.fail(`the shape [${extents.join(", ")}] is larger than any file`, dimsAt);
  }
  reader.field = `offset of tensor ${quoted(name)}`;
  const offsetAt = reader.position;
  const offset = Number(reader.u64());
  if (!Number.isSafeInteger(offset)) reader.fail("it lies behind the end of any file", offsetAt);
  if (offset % alignment !== 0) {
    reader.fail(`${offset} is not a multiple of the alignment ${alignment}`, offsetAt);
  }
  return {
    name,
    format: format?.name,
    ggmlType,
    dims: extents.map(Number),
    elements: Number(elements),
    bytes: bytes === undefined ? undefined : Number(bytes),
    offset,
  };
}
