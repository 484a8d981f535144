/**
 * Four-bit floats (E2M1) under a shared scale. MXFP4: 32 weights, scale a power of two (E8M0), from the OCP
 * Microscaling Formats specification 1.0. NVFP4: 64 weights in four groups of 16, each with an unsigned E4M3 scale.
 * Defined by `block_mxfp4` and `block_nvfp4` in ggml-common.h. As in ggml, the table holds twice the E2M1 values and
 * the scales are halved, so that all factors are integers and powers of two.
 */
import type { Format } from "./format.ts";

/** Twice the value of each E2M1 code. */
const DOUBLED_E2M1 = Int8Array.of(0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12);

/** One scale byte `e`, then 16 bytes: byte `i` holds weights `i` (low half) and `i + 16`. */
export const MXFP4: Format = {
  name: "mxfp4",
  ggmlType: 39,
  blockLength: 32,
  blockBytes: 17,
  planes: [
    { name: "qs", offset: 1, bytes: 16, recoding: "fp4_codes" },
    { name: "e", offset: 0, bytes: 1 },
  ],
  chunk: 32,
  device: true,
  decode(bytes, blocks, out, outOffset) {
    for (let b = 0, at = 0, o = outOffset; b < blocks; b++, at += 17, o += 32) {
      const scale = halfE8M0(bytes[at]);
      for (let i = 0; i < 16; i++) {
        const q = bytes[at + 1 + i];
        out[o + i] = scale * DOUBLED_E2M1[q & 15];
        out[o + 16 + i] = scale * DOUBLED_E2M1[q >> 4];
      }
    }
  },
  encode(values, out) {
    for (let v = 0, at = 0; v < values.length; v += 32, at += 17) {
      let peak = 0;
      for (let i = 0; i < 32; i++) peak = Math.max(peak, Math.abs(values[v + i]));
      // E2M1 reaches up to 6 = 1.5 * 2^2, hence the 2 below the peak's exponent.
      const exponent = peak > 0 ? Math.min(254, Math.max(0, Math.floor(Math.log2(peak)) - 2 + 127)) : 0;
      out[at] = exponent;
      const scale = halfE8M0(exponent);
      for (let i = 0; i < 16; i++) {
        out[at + 1 + i] = nearestE2M1(values[v + i], scale) | (nearestE2M1(values[v + 16 + i], scale) << 4);
      }
    }
  },
};

/** Four scale bytes, then 8 bytes for each group of 16: byte `i` holds weights `i` (low half) and `i + 8`. */
export const NVFP4: Format = {
  name: "nvfp4",
  ggmlType: 40,
  blockLength: 64,
  blockBytes: 36,
  planes: [{ name: "qs", offset: 4, bytes: 32 }, { name: "d", offset: 0, bytes: 4 }],
  chunk: 32,
  device: true,
  decode(bytes, blocks, out, outOffset) {
    for (let b = 0, at = 0, o = outOffset; b < blocks; b++, at += 36) {
      for (let group = 0; group < 4; group++, o += 16) {
        const scale = halfE4M3(bytes[at + group]);
        for (let i = 0; i < 8; i++) {
          const q = bytes[at + 4 + group * 8 + i];
          out[o + i] = scale * DOUBLED_E2M1[q & 15];
          out[o + 8 + i] = scale * DOUBLED_E2M1[q >> 4];
        }
      }
    }
  },
};

/** Half of `2^(e - 127)`. */
function halfE8M0(e: number): number {
  return 2 ** (e - 128);
}

/** Half of an unsigned E4M3 number with exponent bias 7; its NaN (0x7f) counts as 0, as in ggml. */
function halfE4M3(byte: number): number {
  if (byte === 0x7f) return 0;
  const exponent = (byte >> 3) & 15;
  const mantissa = byte & 7;
  return exponent === 0 ? mantissa * 2 ** -10 : (1 + mantissa / 8) * 2 ** (exponent - 8);
}

/** The code whose value is nearest to `value`; the lower code of two equally near ones. */
function nearestE2M1(value: number, scale: number): number {
  let best = 0;
  for (let code = 1; code < 16; code++) {
    if (Math.abs(scale * DOUBLED_E2M1[code] - value) < Math.abs(scale * DOUBLED_E2M1[best] - value)) {
      best = code;
    }
  }
  return best;
}
