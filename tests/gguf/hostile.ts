/**
 * A GGUF writer for tests in which every field can be wrong: it writes what it is told, byte by byte, and shares no
 * code with src/gguf. Field order and type ids are those of the GGUF specification.
 */

/** Ids of the value types. */
export const TYPE = {
  u8: 0,
  i8: 1,
  u16: 2,
  i16: 3,
  u32: 4,
  i32: 5,
  f32: 6,
  bool: 7,
  string: 8,
  array: 9,
  u64: 10,
  i64: 11,
  f64: 12,
};

/** Ids of some tensor types. */
export const GGML = { f32: 0, f16: 1, q4Zero: 2, q4K: 12, i8: 24 };

/** A key and its value as raw bytes. */
export interface RawKey {
  readonly key: string | Uint8Array;
  /** Length field, where it is to differ from the key's. */
  readonly length?: bigint;
  readonly type: number;
  readonly value: Uint8Array;
}

/** An entry of the tensor table. */
export interface RawTensor {
  readonly name: string | Uint8Array;
  /** Length field, where it is to differ from the name's. */
  readonly length?: bigint;
  /** Count field, where it is to differ from that of `dims`. */
  readonly dimCount?: number;
  readonly dims: readonly bigint[];
  readonly type: number;
  readonly offset: bigint;
}

/** A whole file; what is left out is right. */
export interface RawFile {
  readonly magic?: string;
  readonly version?: number;
  readonly tensorCount?: bigint;
  readonly keyCount?: bigint;
  readonly keys?: readonly RawKey[];
  readonly tensors?: readonly RawTensor[];
  /** Alignment of the data section, default 32. */
  readonly alignment?: number;
  /** Bytes of the data section. */
  readonly dataBytes?: number;
}

const encoder = new TextEncoder();

/** One file after the other in one array. */
export function concat(...parts: Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** Little-endian integer of `bytes` bytes, wrapping. */
export function int(value: bigint | number, bytes: number): Uint8Array {
  const out = new Uint8Array(bytes);
  let rest = BigInt.asUintN(64, BigInt(value));
  for (let i = 0; i < bytes; i++, rest >>= 8n) out[i] = Number(rest & 255n);
  return out;
}

/** A 32-bit field. */
export function u32(value: number): Uint8Array {
  return int(value, 4);
}

/** A 64-bit field. */
export function u64(value: bigint | number): Uint8Array {
  return int(value, 8);
}

/** A float32 field. */
export function f32(value: number): Uint8Array {
  return new Uint8Array(Float32Array.of(value).buffer);
}

/** A string with its length field, which may lie. */
export function str(text: string | Uint8Array, length?: bigint): Uint8Array {
  const bytes = typeof text === "string" ? encoder.encode(text) : text;
  return concat(u64(length ?? bytes.length), bytes);
}

/** An array value: element type, count, elements. */
export function array(type: number, count: bigint | number, ...elements: Uint8Array[]): Uint8Array {
  return concat(u32(type), u64(count), ...elements);
}

/** Shorthands for sound keys. */
export const key = {
  u32: (name: string, value: number): RawKey => ({ key: name, type: TYPE.u32, value: u32(value) }),
  u16: (name: string, value: number): RawKey => ({ key: name, type: TYPE.u16, value: int(value, 2) }),
  i32: (name: string, value: number): RawKey => ({ key: name, type: TYPE.i32, value: int(value, 4) }),
  u64: (name: string, value: bigint): RawKey => ({ key: name, type: TYPE.u64, value: u64(value) }),
  string: (name: string, value: string): RawKey => ({ key: name, type: TYPE.string, value: str(value) }),
};

/** The bytes of a file. */
export function rawGguf(file: RawFile): Uint8Array {
  const { keys = [], tensors = [], alignment = 32, dataBytes = 0 } = file;
  const header = concat(
    encoder.encode(file.magic ?? "GGUF"),
    u32(file.version ?? 3),
    u64(file.tensorCount ?? tensors.length),
    u64(file.keyCount ?? keys.length),
    ...keys.map(({ key, length, type, value }) => concat(str(key, length), u32(type), value)),
    ...tensors.map(({ name, length, dimCount, dims, type, offset }) =>
      concat(str(name, length), u32(dimCount ?? dims.length), ...dims.map(u64), u32(type), u64(offset))
    ),
  );
  const padding = (alignment - header.length % alignment) % alignment;
  return concat(header, new Uint8Array(padding), new Uint8Array(dataBytes));
}

/** A sound small file: a key of each kind, and three tensors. */
export function soundFile(): RawFile {
  return {
    keys: [
      key.string("general.architecture", "llama"),
      key.u32("llama.block_count", 2),
      key.u64("general.big", 2n ** 53n + 1n),
      { key: "llama.rope.freq_base", type: TYPE.f32, value: f32(10000) },
      { key: "flag", type: TYPE.bool, value: int(1, 1) },
      {
        key: "tokens",
        type: TYPE.array,
        value: array(TYPE.string, 3, str("a"), str("\ufeff"), str(int(0xff, 1))),
      },
      { key: "scores", type: TYPE.array, value: array(TYPE.f32, 2, f32(0.5), f32(-1)) },
    ],
    tensors: [
      { name: "a", dims: [8n, 2n], type: GGML.f32, offset: 0n },
      { name: "b", dims: [64n], type: GGML.q4Zero, offset: 64n },
      { name: "c", dims: [3n], type: GGML.f16, offset: 128n },
    ],
    dataBytes: 134,
  };
}

/** Runs `action` with the path of a temporary file that holds `bytes`. */
export async function withFile<T>(bytes: Uint8Array, action: (path: string) => T | Promise<T>): Promise<T> {
  const folder = Deno.makeTempDirSync();
  try {
    Deno.writeFileSync(`${folder}/m.gguf`, bytes);
    return await action(`${folder}/m.gguf`);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}
