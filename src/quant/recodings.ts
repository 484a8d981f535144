/**
 * Planes that are rewritten when weights are loaded, because a GPU would otherwise spend more time unpacking them than
 * reading them. Each recoding is one to one, except that the two zeros of a four-bit float become one.
 */
import type { Recoding } from "./format.ts";
import type { StridedCopy } from "./strided_copy.ts";

/** Offset in a Q5_K block of its 32 bytes of fifth bits, and the block's size. */
const Q5_K_BITS = 16;
const Q5_K_BYTES = 176;

/**
 * A Q5_K block with its fifth bits by sub-block. In the file, bit `sub` of byte `i` belongs to weight `i` of sub-block
 * `sub`; here, bit `i >> 2` of byte `4 sub + (i & 3)` does, so that the 32 bits of a sub-block are one word.
 */
const copyQ5K: StridedCopy = (source, from, stride, target, to, _bytes, blocks) => {
  const words = new Int32Array(8);
  for (let b = 0, s = from, t = to; b < blocks; b++, s += stride, t += Q5_K_BYTES) {
    for (let i = 0; i < Q5_K_BYTES; i += 8) {
      target.setBigUint64(t + i, source.getBigUint64(s + i, true), true);
    }
    for (let i = 0; i < 8; i++) words[i] = source.getInt32(s + Q5_K_BITS + 4 * i, true);
    transposeBits(words);
    for (let i = 0; i < 8; i++) target.setInt32(t + Q5_K_BITS + 4 * i, words[i], true);
  }
};

/**
 * Swaps bit `j` of word `i` with bit `i` of word `j`, in each of the four bytes: first the quarters of the 8 by 8 bits,
 * then theirs, then single bits (H. S. Warren, Hacker's Delight, 7-3).
 */
function transposeBits(words: Int32Array): void {
  for (let step = 4, mask = 0x0f0f0f0f; step > 0; step >>= 1, mask ^= mask << step) {
    for (let i = 0; i < 8; i = (i + step + 1) & ~step) {
      const swapped = ((words[i] >>> step) ^ words[i + step]) & mask;
      words[i] ^= swapped << step;
      words[i + step] ^= swapped;
    }
  }
}

/**
 * The 16 scales of a Q6_K block, by half block and half of a sub-block: in the file, scale `2 s + half` of a half block
 * belongs to half `half` of its sub-block `s`; here it is scale `4 half + s`.
 */
const copyQ6KScales: StridedCopy = (source, from, stride, target, to, bytes, blocks) => {
  for (let b = 0, s = from, t = to; b < blocks; b++, s += stride) {
    for (let i = 0; i < bytes; i += 8, t += 8) {
      const low = source.getUint32(s + i, true);
      const high = source.getUint32(s + i + 4, true);
      target.setUint32(t, evenBytes(low) | evenBytes(high) << 16, true);
      target.setUint32(t + 4, evenBytes(low >>> 8) | evenBytes(high >>> 8) << 16, true);
    }
  }
};

/** Bytes 0 and 2 of a word, side by side. */
function evenBytes(word: number): number {
  return word & 0xff | word >>> 8 & 0xff00;
}

/** The code on the device of each code in the file, see {@linkcode copyFp4Codes}. */
const FP4_CODES = [8, 9, 10, 11, 12, 14, 13, 15, 8, 7, 6, 5, 4, 2, 3, 1];

/** Two bytes, which are four codes, at a time; made when the first such weight is loaded. */
let fp4Pairs: Uint16Array | undefined;

function pairsOfFp4Bytes(): Uint16Array {
  const byte = (codes: number) => FP4_CODES[codes & 15] | FP4_CODES[codes >> 4 & 15] << 4;
  return Uint16Array.from({ length: 65536 }, (_, codes) => byte(codes & 255) | byte(codes >> 8) << 8);
}

/**
 * Four-bit floats as 8 plus twice their value, for all but 4 and 6 and their negatives, which twice are 8 and 12: these
 * take the codes of 5 and 7, which no other value needs. `shaders/include/fp4_codes.glsl` takes them apart.
 */
const copyFp4Codes: StridedCopy = (source, from, stride, target, to, _bytes, blocks) => {
  fp4Pairs ??= pairsOfFp4Bytes();
  const pairs = fp4Pairs;
  for (let b = 0, s = from, t = to; b < blocks; b++, s += stride, t += 16) {
    for (let i = 0; i < 16; i += 4) {
      const codes = source.getInt32(s + i, true);
      target.setInt32(t + i, pairs[codes & 0xffff] | pairs[codes >>> 16] << 16, true);
    }
  }
};

/** The loop of each recoding. */
export const RECODINGS: Readonly<Record<Recoding, StridedCopy>> = {
  q5_k_bits: copyQ5K,
  q6_k_scales: copyQ6KScales,
  fp4_codes: copyFp4Codes,
};
