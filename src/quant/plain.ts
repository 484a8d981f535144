/**
 * The formats without blocks: floats and integers, one weight after the other, little-endian.
 * Integer tensors hold tables, never weights, so that only the floats exist on the device.
 */
import { bf16ToF32, F16_TO_F32, f32ToBf16, f32ToF16 } from "./float.ts";
import type { Format, FormatName } from "./format.ts";

function plain(
  name: FormatName,
  ggmlType: number,
  bytes: number,
  chunk: number,
  codec: Pick<Format, "decode" | "encode">,
): Format {
  const planes = [{ name: "v", offset: 0, bytes }];
  return { name, ggmlType, blockLength: 1, blockBytes: bytes, planes, chunk, device: chunk > 0, ...codec };
}

/** A decoder that reads element `i` of a tensor as a number. */
function reading(bytes: number, read: (view: DataView, at: number) => number): Pick<Format, "decode"> {
  return {
    decode(source, blocks, out, outOffset) {
      const view = new DataView(source.buffer, source.byteOffset, blocks * bytes);
      for (let i = 0; i < blocks; i++) out[outOffset + i] = read(view, i * bytes);
    },
  };
}

/** IEEE 754 binary32. */
export const F32: Format = plain("f32", 0, 4, 4, {
  decode(bytes, blocks, out, outOffset) {
    new Uint8Array(out.buffer, out.byteOffset + outOffset * 4, blocks * 4).set(bytes.subarray(0, blocks * 4));
  },
  encode(values, out) {
    out.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  },
});

/** IEEE 754 binary16. */
export const F16: Format = plain("f16", 1, 2, 8, {
  decode(bytes, blocks, out, outOffset) {
    for (let i = 0; i < blocks; i++) out[outOffset + i] = F16_TO_F32[bytes[2 * i] | (bytes[2 * i + 1] << 8)];
  },
  encode(values, out) {
    encode16(values, out, f32ToF16);
  },
});

/** bfloat16: the upper half of a binary32. */
export const BF16: Format = plain("bf16", 30, 2, 8, {
  decode(bytes, blocks, out, outOffset) {
    for (let i = 0; i < blocks; i++) out[outOffset + i] = bf16ToF32(bytes[2 * i] | (bytes[2 * i + 1] << 8));
  },
  encode(values, out) {
    encode16(values, out, f32ToBf16);
  },
});

/** IEEE 754 binary64, rounded to float32. */
export const F64: Format = plain("f64", 28, 8, 0, reading(8, (view, at) => view.getFloat64(at, true)));
/** Signed bytes. */
export const I8: Format = plain("i8", 24, 1, 0, reading(1, (view, at) => view.getInt8(at)));
/** Signed 16-bit integers. */
export const I16: Format = plain("i16", 25, 2, 0, reading(2, (view, at) => view.getInt16(at, true)));
/** Signed 32-bit integers, rounded to float32. */
export const I32: Format = plain("i32", 26, 4, 0, reading(4, (view, at) => view.getInt32(at, true)));
/** Signed 64-bit integers, rounded to float32. */
export const I64: Format = plain(
  "i64",
  27,
  8,
  0,
  reading(8, (view, at) => Number(view.getBigInt64(at, true))),
);

function encode16(values: Float32Array, out: Uint8Array, bitsOf: (value: number) => number): void {
  for (let i = 0; i < values.length; i++) {
    const bits = bitsOf(values[i]);
    out[2 * i] = bits & 255;
    out[2 * i + 1] = bits >> 8;
  }
}
