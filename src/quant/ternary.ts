/**
 * Formats of one to two bits per weight around one float16 scale. Defined by `block_tq1_0`, `block_tq2_0`,
 * `block_q1_0` and `block_q2_0` in ggml-common.h and their `dequantize_row_*` in ggml-quants.c.
 */
import { readF16 } from "./float.ts";
import type { Format } from "./format.ts";

/**
 * Ternary, five weights a byte: byte `b` is `ceil(256 n / 243)` for the base-3 number `n` of its five digits, so that
 * the top digit of `b 3^k mod 256` (in 256ths) is digit `k`. 32 bytes, 16 bytes, then 4 bytes of four digits.
 */
export const TQ1_0: Format = {
  name: "tq1_0",
  ggmlType: 34,
  blockLength: 256,
  blockBytes: 54,
  planes: [
    { name: "qs", offset: 0, bytes: 48 },
    { name: "qh", offset: 48, bytes: 4 },
    { name: "d", offset: 52, bytes: 2 },
  ],
  chunk: 32,
  device: true,
  decode(bytes, blocks, out, outOffset) {
    let o = outOffset;
    for (let b = 0, at = 0; b < blocks; b++, at += 54) {
      const d = readF16(bytes, at + 52);
      o = ternaryDigits(bytes, at, 32, 5, d, out, o);
      o = ternaryDigits(bytes, at + 32, 16, 5, d, out, o);
      o = ternaryDigits(bytes, at + 48, 4, 4, d, out, o);
    }
  },
};

const POWERS_OF_3 = [1, 3, 9, 27, 81];

/** Decodes the digits of `count` bytes, digit 0 of all bytes first; returns the next index of `out`. */
function ternaryDigits(
  bytes: Uint8Array,
  at: number,
  count: number,
  digits: number,
  d: number,
  out: Float32Array,
  outOffset: number,
): number {
  let o = outOffset;
  for (let digit = 0; digit < digits; digit++) {
    for (let i = 0; i < count; i++) {
      const q = (((bytes[at + i] * POWERS_OF_3[digit]) & 255) * 3) >> 8;
      out[o++] = d * (q - 1);
    }
  }
  return o;
}

/** Ternary, two bits a weight: `d (q - 1)`; 128 weights share 32 bytes, 32 weights per bit pair. */
export const TQ2_0: Format = {
  name: "tq2_0",
  ggmlType: 35,
  blockLength: 256,
  blockBytes: 66,
  planes: [{ name: "qs", offset: 0, bytes: 64 }, { name: "d", offset: 64, bytes: 2 }],
  chunk: 32,
  device: true,
  decode(bytes, blocks, out, outOffset) {
    for (let b = 0, at = 0, o = outOffset; b < blocks; b++, at += 66, o += 256) {
      const d = readF16(bytes, at + 64);
      for (let i = 0; i < 256; i++) {
        const q = (bytes[at + (i >> 7) * 32 + (i & 31)] >> (((i >> 5) & 3) * 2)) & 3;
        out[o + i] = d * (q - 1);
      }
    }
  },
};

/** One bit a weight: `d` or `-d`. */
export const Q1_0: Format = {
  name: "q1_0",
  ggmlType: 41,
  blockLength: 128,
  blockBytes: 18,
  planes: [{ name: "qs", offset: 2, bytes: 16 }, { name: "d", offset: 0, bytes: 2 }],
  chunk: 32,
  device: true,
  decode(bytes, blocks, out, outOffset) {
    for (let b = 0, at = 0, o = outOffset; b < blocks; b++, at += 18, o += 128) {
      const d = readF16(bytes, at);
      for (let i = 0; i < 128; i++) out[o + i] = (bytes[at + 2 + (i >> 3)] >> (i & 7)) & 1 ? d : -d;
    }
  },
};

/** Two bits a weight, four consecutive weights a byte: `d (q - 1)`. */
export const Q2_0: Format = {
  name: "q2_0",
  ggmlType: 42,
  blockLength: 64,
  blockBytes: 18,
  planes: [{ name: "qs", offset: 2, bytes: 16 }, { name: "d", offset: 0, bytes: 2 }],
  chunk: 32,
  device: true,
  decode(bytes, blocks, out, outOffset) {
    for (let b = 0, at = 0, o = outOffset; b < blocks; b++, at += 18, o += 64) {
      const d = readF16(bytes, at);
      for (let i = 0; i < 64; i++) out[o + i] = d * (((bytes[at + 2 + (i >> 2)] >> ((i & 3) * 2)) & 3) - 1);
    }
  },
};
