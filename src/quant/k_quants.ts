/**
 * The k-quants: 256 weights in sub-blocks of 16 or 32, each with a small integer scale (and, for Q2_K, Q4_K and
 * Q5_K, a minimum) that multiplies the block's float16 `d` (and `dmin`). Defined by `block_q2_K` ... `block_q6_K` in
 * ggml-common.h and the `dequantize_row_*` functions of ggml-quants.c.
 *
 * Every product below is exact in float32 (11 bits of `d`, up to 8 of a scale, up to 6 of a weight), so that the order
 * of multiplication does not matter; only the subtraction of a minimum rounds.
 */
import { readF16 } from "./float.ts";
import type { Format } from "./format.ts";
import { encodeQ4K, encodeQ5K, encodeQ6K } from "./k_quants_encode.ts";

const LENGTH = 256;

/** 2 bits with a minimum, 16 sub-blocks of 16: `d scale q - dmin min`. */
export const Q2_K: Format = {
  name: "q2_k",
  ggmlType: 10,
  blockLength: LENGTH,
  blockBytes: 84,
  planes: [
    { name: "qs", offset: 16, bytes: 64 },
    { name: "scales", offset: 0, bytes: 16 },
    { name: "dm", offset: 80, bytes: 4 },
  ],
  chunk: 32,
  device: true,
  decode(bytes, blocks, out, outOffset) {
    for (let b = 0, at = 0, o = outOffset; b < blocks; b++, at += 84, o += LENGTH) {
      const d = readF16(bytes, at + 80);
      const dmin = readF16(bytes, at + 82);
      for (let sub = 0; sub < 16; sub++) {
        const scale = d * (bytes[at + sub] & 15);
        const minimum = dmin * (bytes[at + sub] >> 4);
        const qs = at + 16 + byteOfSubBlock(sub);
        const shift = shiftOfSubBlock(sub);
        for (let i = 0; i < 16; i++) {
          out[o + sub * 16 + i] = scale * ((bytes[qs + i] >> shift) & 3) - minimum;
        }
      }
    }
  },
};

/** 3 bits, 16 sub-blocks of 16: `d (scale - 32) (q - 4)`, the third bit apart in `hmask`. */
export const Q3_K: Format = {
  name: "q3_k",
  ggmlType: 11,
  blockLength: LENGTH,
  blockBytes: 110,
  planes: [
    { name: "qs", offset: 32, bytes: 64 },
    { name: "hmask", offset: 0, bytes: 32 },
    { name: "scales", offset: 96, bytes: 12 },
    { name: "d", offset: 108, bytes: 2 },
  ],
  chunk: 32,
  device: true,
  decode(bytes, blocks, out, outOffset) {
    for (let b = 0, at = 0, o = outOffset; b < blocks; b++, at += 110, o += LENGTH) {
      const d = readF16(bytes, at + 108);
      for (let sub = 0; sub < 16; sub++) {
        const scale = d * (scaleQ3K(bytes, at + 96, sub) - 32);
        const qs = at + 32 + byteOfSubBlock(sub);
        const hmask = at + (sub & 1) * 16;
        const shift = shiftOfSubBlock(sub);
        for (let i = 0; i < 16; i++) {
          const high = (bytes[hmask + i] >> (sub >> 1)) & 1;
          out[o + sub * 16 + i] = scale * (((bytes[qs + i] >> shift) & 3) + 4 * high - 4);
        }
      }
    }
  },
};

/** 4 bits with a minimum, 8 sub-blocks of 32: `d scale q - dmin min`. */
export const Q4_K: Format = {
  name: "q4_k",
  ggmlType: 12,
  blockLength: LENGTH,
  blockBytes: 144,
  planes: [{ name: "block", offset: 0, bytes: 144 }],
  chunk: 32,
  device: true,
  decode(bytes, blocks, out, outOffset) {
    for (let b = 0, at = 0, o = outOffset; b < blocks; b++, at += 144, o += LENGTH) {
      const d = readF16(bytes, at);
      const dmin = readF16(bytes, at + 2);
      for (let sub = 0; sub < 8; sub++) {
        const scale = d * scaleK4(bytes, at + 4, sub);
        const minimum = dmin * minimumK4(bytes, at + 4, sub);
        const qs = at + 16 + (sub >> 1) * 32;
        const shift = (sub & 1) * 4;
        for (let i = 0; i < 32; i++) {
          out[o + sub * 32 + i] = scale * ((bytes[qs + i] >> shift) & 15) - minimum;
        }
      }
    }
  },
  encode: encodeQ4K,
};

/** 5 bits with a minimum, 8 sub-blocks of 32: as Q4_K, with bit `sub` of `qh[i]` as the fifth bit. */
export const Q5_K: Format = {
  name: "q5_k",
  ggmlType: 13,
  blockLength: LENGTH,
  blockBytes: 176,
  planes: [{ name: "block", offset: 0, bytes: 176, recoding: "q5_k_bits" }],
  chunk: 32,
  device: true,
  decode(bytes, blocks, out, outOffset) {
    for (let b = 0, at = 0, o = outOffset; b < blocks; b++, at += 176, o += LENGTH) {
      const d = readF16(bytes, at);
      const dmin = readF16(bytes, at + 2);
      for (let sub = 0; sub < 8; sub++) {
        const scale = d * scaleK4(bytes, at + 4, sub);
        const minimum = dmin * minimumK4(bytes, at + 4, sub);
        const qh = at + 16;
        const qs = at + 48 + (sub >> 1) * 32;
        const shift = (sub & 1) * 4;
        for (let i = 0; i < 32; i++) {
          const q = ((bytes[qs + i] >> shift) & 15) | (((bytes[qh + i] >> sub) & 1) << 4);
          out[o + sub * 32 + i] = scale * q - minimum;
        }
      }
    }
  },
  encode: encodeQ5K,
};

/**
 * 6 bits, 16 sub-blocks of 16 with signed byte scales: `d scale (q - 32)`. Each half of the block (128 weights) has 64
 * bytes of low and 32 bytes of high bits; of its four groups of 32 weights, groups 0 and 1 are in the low halves of
 * the low-bit bytes, groups 2 and 3 in the high halves.
 */
export const Q6_K: Format = {
  name: "q6_k",
  ggmlType: 14,
  blockLength: LENGTH,
  blockBytes: 210,
  planes: [
    { name: "ql", offset: 0, bytes: 128 },
    { name: "qh", offset: 128, bytes: 64 },
    { name: "scales", offset: 192, bytes: 16, recoding: "q6_k_scales" },
    { name: "d", offset: 208, bytes: 2 },
  ],
  chunk: 32,
  device: true,
  decode(bytes, blocks, out, outOffset) {
    for (let b = 0, at = 0, o = outOffset; b < blocks; b++, at += 210, o += LENGTH) {
      const d = readF16(bytes, at + 208);
      for (let sub = 0; sub < 16; sub++) {
        const scale = d * ((bytes[at + 192 + sub] << 24) >> 24);
        const group = (sub >> 1) & 3;
        const ql = at + (sub >> 3) * 64 + (group & 1) * 32 + (sub & 1) * 16;
        const qh = at + 128 + (sub >> 3) * 32 + (sub & 1) * 16;
        const lowShift = (group >> 1) * 4;
        const highShift = group * 2;
        for (let i = 0; i < 16; i++) {
          const q = ((bytes[ql + i] >> lowShift) & 15) | (((bytes[qh + i] >> highShift) & 3) << 4);
          out[o + sub * 16 + i] = scale * (q - 32);
        }
      }
    }
  },
  encode: encodeQ6K,
};

/** Q2_K and Q3_K: 128 weights share 32 bytes, 32 of them per bit pair; where sub-block `sub` of 16 starts. */
function byteOfSubBlock(sub: number): number {
  return (sub >> 3) * 32 + (sub & 1) * 16;
}

/** Q2_K and Q3_K: the bit pair of sub-block `sub`. */
function shiftOfSubBlock(sub: number): number {
  return ((sub >> 1) & 3) * 2;
}

/** 6-bit scale `sub` of 16: four low bits in bytes 0-7, two high bits in bytes 8-11. */
function scaleQ3K(bytes: Uint8Array, at: number, sub: number): number {
  const low = (bytes[at + (sub & 7)] >> ((sub >> 3) * 4)) & 15;
  const high = (bytes[at + 8 + (sub & 3)] >> ((sub >> 2) * 2)) & 3;
  return low | (high << 4);
}

/** 6-bit scale `sub` of 8: bytes 0-3, and for 4-7 the low halves of bytes 8-11 under the top bits of bytes 0-3. */
function scaleK4(bytes: Uint8Array, at: number, sub: number): number {
  if (sub < 4) return bytes[at + sub] & 63;
  return (bytes[at + 4 + sub] & 15) | ((bytes[at + sub - 4] >> 6) << 4);
}

/** 6-bit minimum `sub` of 8: bytes 4-7, and for 4-7 the high halves of bytes 8-11 under the top bits of bytes 4-7. */
function minimumK4(bytes: Uint8Array, at: number, sub: number): number {
  if (sub < 4) return bytes[at + 4 + sub] & 63;
  return (bytes[at + 4 + sub] >> 4) | ((bytes[at + sub] >> 6) << 4);
}
