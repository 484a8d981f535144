/**
 * The C types that Vulkan's structs are made of: size, alignment, and how a JavaScript value is written and read.
 *
 * Sizes are those of every 64-bit C ABI. 64-bit integers and pointers are BigInt here and in the objects of
 * `src/vulkan` that hold handles, nowhere else. Writers check ranges, because `DataView` and Deno's FFI wrap silently.
 */

/** Takes a buffer whose address is stored inside another struct, keeps it alive, and returns its address. */
export type Keep = (pointee: Uint8Array) => bigint;

/** A C type: `In` is what a writer accepts, `Out` what a reader gives. */
export interface Type<In, Out = In> {
  /** Name for error messages. */
  readonly name: string;
  /** `sizeof`. */
  readonly bytes: number;
  /** `alignof`. */
  readonly align: number;
  /** Stores `value` at `offset`; pointers to JavaScript memory go through `keep`. */
  readonly write: (view: DataView, offset: number, value: In, keep: Keep) => void;
  /** Loads the value at `offset`. */
  readonly read: (view: DataView, offset: number) => Out;
}

const U32_MAX = 2 ** 32 - 1;
const U64_MAX = 2n ** 64n - 1n;

/** `value` as an unsigned 32-bit integer; throws RangeError on fractions, negatives and overflow. */
export function checkedU32(value: number): number {
  if (!Number.isInteger(value) || value < 0 || value > U32_MAX) {
    throw new RangeError(`${value} is not an unsigned 32-bit integer`);
  }
  return value;
}

/** `value` as a signed 32-bit integer; throws RangeError on fractions and overflow. */
export function checkedI32(value: number): number {
  if (!Number.isInteger(value) || value < -(2 ** 31) || value > 2 ** 31 - 1) {
    throw new RangeError(`${value} is not a signed 32-bit integer`);
  }
  return value;
}

/** `value` as an unsigned 64-bit BigInt; throws RangeError on fractions, negatives, unsafe numbers and overflow. */
export function checkedU64(value: number | bigint): bigint {
  if (typeof value === "number" && !Number.isSafeInteger(value)) {
    throw new RangeError(`${value} is not an integer that a number holds exactly`);
  }
  const big = BigInt(value);
  if (big < 0n || big > U64_MAX) throw new RangeError(`${big} is not an unsigned 64-bit integer`);
  return big;
}

/** A 64-bit size that came from the driver as a number, limited to 2^53 - 1 (drivers report 2^64 - 1 for "no limit"). */
export function clampedNumber(value: bigint): number {
  return value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(value);
}

/** `uint8_t`. */
export const u8: Type<number> = {
  name: "u8",
  bytes: 1,
  align: 1,
  write: (view, offset, value) => view.setUint8(offset, value),
  read: (view, offset) => view.getUint8(offset),
};

/** `uint32_t`, enums and flags. */
export const u32: Type<number> = {
  name: "u32",
  bytes: 4,
  align: 4,
  write: (view, offset, value) => view.setUint32(offset, checkedU32(value), true),
  read: (view, offset) => view.getUint32(offset, true),
};

/** `int32_t`. */
export const i32: Type<number> = {
  name: "i32",
  bytes: 4,
  align: 4,
  write: (view, offset, value) => view.setInt32(offset, checkedI32(value), true),
  read: (view, offset) => view.getInt32(offset, true),
};

/** `float`. */
export const f32: Type<number> = {
  name: "f32",
  bytes: 4,
  align: 4,
  write: (view, offset, value) => view.setFloat32(offset, value, true),
  read: (view, offset) => view.getFloat32(offset, true),
};

/** `VkBool32`. */
export const bool32: Type<boolean> = {
  name: "bool32",
  bytes: 4,
  align: 4,
  write: (view, offset, value) => view.setUint32(offset, value ? 1 : 0, true),
  read: (view, offset) => view.getUint32(offset, true) !== 0,
};

/** `uint64_t`, `VkDeviceSize`, `size_t`, device addresses and non-dispatchable handles. */
export const u64: Type<number | bigint, bigint> = {
  name: "u64",
  bytes: 8,
  align: 8,
  write: (view, offset, value) => view.setBigUint64(offset, checkedU64(value), true),
  read: (view, offset) => view.getBigUint64(offset, true),
};

/** A pointer: to JavaScript memory, which is kept alive, or an address that native code owns, or null. */
export const ptr: Type<Uint8Array | bigint | null, bigint> = {
  name: "ptr",
  bytes: 8,
  align: 8,
  write: (view, offset, value, keep) => {
    const address = value === null ? 0n : typeof value === "bigint" ? checkedU64(value) : keep(value);
    view.setBigUint64(offset, address, true);
  },
  read: (view, offset) => view.getBigUint64(offset, true),
};

/** `element[count]`. A writer takes at most `count` values. */
export function array<In, Out>(element: Type<In, Out>, count: number): Type<readonly In[], Out[]> {
  return {
    name: `${element.name}[${count}]`,
    bytes: element.bytes * count,
    align: element.align,
    write: (view, offset, values, keep) => {
      if (values.length > count) {
        throw new RangeError(`${values.length} values do not fit ${element.name}[${count}]`);
      }
      values.forEach((value, i) => element.write(view, offset + i * element.bytes, value, keep));
    },
    read: (view, offset) =>
      Array.from({ length: count }, (_, i) => element.read(view, offset + i * element.bytes)),
  };
}

/** `uint8_t[count]`, read as a copy. */
export function bytes(count: number): Type<Uint8Array> {
  return {
    name: `bytes[${count}]`,
    bytes: count,
    align: 1,
    write: (view, offset, value) => {
      if (value.length > count) throw new RangeError(`${value.length} bytes do not fit ${count}`);
      new Uint8Array(view.buffer, view.byteOffset + offset, count).set(value);
    },
    read: (view, offset) => new Uint8Array(view.buffer, view.byteOffset + offset, count).slice(),
  };
}

/** `char[count]`: a NUL-terminated UTF-8 string. */
export function chars(count: number): Type<string> {
  const raw = bytes(count);
  return {
    ...raw,
    name: `chars[${count}]`,
    write: (view, offset, value, keep) => {
      const encoded = new TextEncoder().encode(value);
      if (encoded.length >= count) throw new RangeError(`"${value}" does not fit char[${count}]`);
      raw.write(view, offset, encoded, keep);
    },
    read: (view, offset) => {
      const content = raw.read(view, offset);
      const end = content.indexOf(0);
      return new TextDecoder().decode(end < 0 ? content : content.subarray(0, end));
    },
  };
}
