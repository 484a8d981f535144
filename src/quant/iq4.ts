/**
 * Four bits that index a table of 16 unevenly spaced levels. Defined by `block_iq4_nl`, `block_iq4_xs` and
 * `kvalues_iq4nl` in ggml-common.h.
 */
import { readF16 } from "./float.ts";
import type { Format } from "./format.ts";

const LEVELS = Int8Array.of(-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113);

/** 32 weights: `d level[q]`; byte `i` holds weights `i` (low half) and `i + 16`. */
export const IQ4_NL: Format = {
  name: "iq4_nl",
  ggmlType: 20,
  blockLength: 32,
  blockBytes: 18,
  planes: [{ name: "qs", offset: 2, bytes: 16 }, { name: "d", offset: 0, bytes: 2 }],
  chunk: 32,
  device: true,
  decode(bytes, blocks, out, outOffset) {
    for (let b = 0, at = 0, o = outOffset; b < blocks; b++, at += 18, o += 32) {
      decodeHalves(bytes, at + 2, readF16(bytes, at), out, o);
    }
  },
};

/**
 * 256 weights in 8 sub-blocks of 32, laid out as in IQ4_NL: `d (scale - 32) level[q]`. Scale `sub` has its four low
 * bits in `scales_l` (two a byte) and its two high bits in the 16-bit `scales_h`.
 */
export const IQ4_XS: Format = {
  name: "iq4_xs",
  ggmlType: 23,
  blockLength: 256,
  blockBytes: 136,
  planes: [{ name: "qs", offset: 8, bytes: 128 }, { name: "scales", offset: 0, bytes: 8 }],
  chunk: 32,
  device: true,
  decode(bytes, blocks, out, outOffset) {
    for (let b = 0, at = 0, o = outOffset; b < blocks; b++, at += 136) {
      const d = readF16(bytes, at);
      const scalesHigh = bytes[at + 2] | (bytes[at + 3] << 8);
      for (let sub = 0; sub < 8; sub++, o += 32) {
        const low = (bytes[at + 4 + (sub >> 1)] >> ((sub & 1) * 4)) & 15;
        const scale = low | (((scalesHigh >> (2 * sub)) & 3) << 4);
        decodeHalves(bytes, at + 8 + sub * 16, d * (scale - 32), out, o);
      }
    }
  },
};

function decodeHalves(bytes: Uint8Array, qs: number, scale: number, out: Float32Array, o: number): void {
  for (let i = 0; i < 16; i++) {
    const q = bytes[qs + i];
    out[o + i] = scale * LEVELS[q & 15];
    out[o + 16 + i] = scale * LEVELS[q >> 4];
  }
}
