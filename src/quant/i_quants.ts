/**
 * The IQ formats of 1 to 3 bits: 256 weights as indices into code books of 4- or 8-vectors (iq_grids.ts), with signs
 * and small scales apart. Defined by `block_iq*` in ggml-common.h and `dequantize_row_iq*` in ggml-quants.c.
 *
 * `group` counts vectors of 8 weights (32 a block), `sub` the runs of weights that share a scale.
 */
import { F16_TO_F32, readF16 } from "./float.ts";
import type { Format, FormatName, Plane } from "./format.ts";
import { IQ1_GRID, IQ2_S_GRID, IQ2_XS_GRID, IQ2_XXS_GRID, IQ3_S_GRID, IQ3_XXS_GRID } from "./iq_grids.ts";

const LENGTH = 256;

/** Offset that IQ1 adds to, or takes from, all levels of a vector. */
const IQ1_DELTA = 0.125;

type BlockDecoder = (bytes: Uint8Array, at: number, out: Float32Array, o: number) => void;

/** A table entry; planes are given as `[name, offset, bytes]`. */
function iq(
  name: FormatName,
  ggmlType: number,
  blockBytes: number,
  grid: Int8Array,
  planes: [string, number, number][],
  decodeBlock: BlockDecoder,
): Format {
  return {
    name,
    ggmlType,
    blockLength: LENGTH,
    blockBytes,
    planes: planes.map(([name, offset, bytes]): Plane => ({ name, offset, bytes })),
    table: new Uint8Array(grid.buffer),
    chunk: 32,
    device: true,
    decode(bytes, blocks, out, outOffset) {
      for (let b = 0; b < blocks; b++) decodeBlock(bytes, b * blockBytes, out, outOffset + b * LENGTH);
    },
  };
}

/** 8 sub-blocks of 32: four 8-bit indices, then 32 bits of four 7-bit sign codes under a 4-bit scale. */
export const IQ2_XXS: Format = iq(
  "iq2_xxs",
  16,
  66,
  IQ2_XXS_GRID,
  [["qs", 2, 64], ["d", 0, 2]],
  (bytes, at, out, o) => {
    const d = readF16(bytes, at);
    for (let sub = 0; sub < 8; sub++) {
      const indices = at + 2 + sub * 8;
      const signsAndScale = u32(bytes, indices + 4);
      const scale = d * (0.5 + (signsAndScale >>> 28)) * 0.25;
      for (let i = 0; i < 4; i++) {
        const signs = signsOfCode((signsAndScale >>> (7 * i)) & 127);
        signedVector(IQ2_XXS_GRID, bytes[indices + i] * 8, 8, signs, scale, out, o + sub * 32 + i * 8);
      }
    }
  },
);

/** 16 sub-blocks of 16: per group 9 bits of index under 7 bits of sign code; two scales a byte. */
export const IQ2_XS: Format = iq(
  "iq2_xs",
  17,
  74,
  IQ2_XS_GRID,
  [["qs", 2, 64], ["scales", 66, 8], ["d", 0, 2]],
  (bytes, at, out, o) => {
    const d = readF16(bytes, at);
    for (let group = 0; group < 32; group++) {
      const q = u16(bytes, at + 2 + group * 2);
      const scale = d * (0.5 + nibble(bytes, at + 66, group >> 1)) * 0.25;
      signedVector(IQ2_XS_GRID, (q & 511) * 8, 8, signsOfCode(q >> 9), scale, out, o + group * 8);
    }
  },
);

/** 16 sub-blocks of 16: per group 10 bits of index (two of them in `qh`) and 8 plain sign bits. */
export const IQ2_S: Format = iq(
  "iq2_s",
  22,
  82,
  IQ2_S_GRID,
  [["qs", 2, 64], ["scales", 66, 16], ["d", 0, 2]],
  (bytes, at, out, o) => {
    const d = readF16(bytes, at);
    for (let group = 0; group < 32; group++) {
      const high = (bytes[at + 66 + (group >> 2)] >> ((group & 3) * 2)) & 3;
      const index = bytes[at + 2 + group] | (high << 8);
      const scale = d * (0.5 + nibble(bytes, at + 74, group >> 1)) * 0.25;
      signedVector(IQ2_S_GRID, index * 8, 8, bytes[at + 34 + group], scale, out, o + group * 8);
    }
  },
);

/** 8 sub-blocks of 32: eight 8-bit indices of 4-vectors; signs and scale as in IQ2_XXS, behind all indices. */
export const IQ3_XXS: Format = iq(
  "iq3_xxs",
  18,
  98,
  IQ3_XXS_GRID,
  [["qs", 2, 64], ["signs", 66, 32], ["d", 0, 2]],
  (bytes, at, out, o) => {
    const d = readF16(bytes, at);
    for (let sub = 0; sub < 8; sub++) {
      const signsAndScale = u32(bytes, at + 66 + sub * 4);
      const scale = d * (0.5 + (signsAndScale >>> 28)) * 0.5;
      for (let i = 0; i < 8; i++) {
        const signs = signsOfCode((signsAndScale >>> (7 * (i >> 1))) & 127) >> ((i & 1) * 4);
        const index = bytes[at + 2 + sub * 8 + i];
        signedVector(IQ3_XXS_GRID, index * 4, 4, signs, scale, out, o + sub * 32 + i * 4);
      }
    }
  },
);

/** 8 sub-blocks of 32: 9 bits of index per 4-vector (one of them in `qh`), plain sign bits, odd scales. */
export const IQ3_S: Format = iq(
  "iq3_s",
  21,
  110,
  IQ3_S_GRID,
  [["qs", 2, 64], ["qh", 66, 8], ["signs", 74, 32], ["scales", 106, 4], ["d", 0, 2]],
  (bytes, at, out, o) => {
    const d = readF16(bytes, at);
    for (let i = 0; i < 64; i++) {
      const index = bytes[at + 2 + i] | (((bytes[at + 66 + (i >> 3)] >> (i & 7)) & 1) << 8);
      const scale = d * (1 + 2 * nibble(bytes, at + 106, i >> 3));
      const signs = bytes[at + 74 + (i >> 1)] >> ((i & 1) * 4);
      signedVector(IQ3_S_GRID, index * 4, 4, signs, scale, out, o + i * 4);
    }
  },
);

/** 8 sub-blocks of 32: 11 bits of index per group; `qh` has the high bits, an odd scale and the sign of the delta. */
export const IQ1_S: Format = iq(
  "iq1_s",
  19,
  50,
  IQ1_GRID,
  [["qs", 2, 32], ["qh", 34, 16], ["d", 0, 2]],
  (bytes, at, out, o) => {
    const d = readF16(bytes, at);
    for (let group = 0; group < 32; group++) {
      const qh = u16(bytes, at + 34 + (group >> 2) * 2);
      const scale = d * (2 * ((qh >> 12) & 7) + 1);
      const index = bytes[at + 2 + group] | (((qh >> (3 * (group & 3))) & 7) << 8);
      shiftedVector(index, qh & 0x8000 ? -IQ1_DELTA : IQ1_DELTA, scale, out, o + group * 8);
    }
  },
);

/**
 * As IQ1_S, with a delta per group and a 3-bit scale per 16 weights. The float16 `d` has no field of its own: the top
 * four bits of the four 16-bit words of scales make it up.
 */
export const IQ1_M: Format = iq(
  "iq1_m",
  29,
  56,
  IQ1_GRID,
  [["qs", 0, 32], ["qh", 32, 16], ["scales", 48, 8]],
  (bytes, at, out, o) => {
    let bits = 0;
    for (let i = 0; i < 4; i++) bits |= (u16(bytes, at + 48 + i * 2) >> 12) << (4 * i);
    const d = F16_TO_F32[bits];
    for (let group = 0; group < 32; group++) {
      const sub = group >> 1;
      const scale = d * (2 * ((u16(bytes, at + 48 + (sub >> 2) * 2) >> (3 * (sub & 3))) & 7) + 1);
      const qh = nibble(bytes, at + 32, group);
      const index = bytes[at + group] | ((qh & 7) << 8);
      shiftedVector(index, qh & 8 ? -IQ1_DELTA : IQ1_DELTA, scale, out, o + group * 8);
    }
  },
);

/** Writes `scale level` for each level of a vector, negated where its bit of `signs` is set. */
function signedVector(
  grid: Int8Array,
  start: number,
  length: number,
  signs: number,
  scale: number,
  out: Float32Array,
  o: number,
): void {
  for (let i = 0; i < length; i++) {
    out[o + i] = (signs >> i) & 1 ? -scale * grid[start + i] : scale * grid[start + i];
  }
}

/** Writes `scale (level + delta)` for each level of IQ1's vector `index`. */
function shiftedVector(index: number, delta: number, scale: number, out: Float32Array, o: number): void {
  for (let i = 0; i < 8; i++) out[o + i] = scale * (IQ1_GRID[index * 8 + i] + delta);
}

/** Eight signs from seven bits: the number of minus signs is always even, so that the eighth is their parity. */
function signsOfCode(code: number): number {
  let parity = code ^ (code >> 4);
  parity ^= parity >> 2;
  parity ^= parity >> 1;
  return code | ((parity & 1) << 7);
}

/** Half byte `i`, low halves first. */
function nibble(bytes: Uint8Array, at: number, i: number): number {
  return (bytes[at + (i >> 1)] >> ((i & 1) * 4)) & 15;
}

function u16(bytes: Uint8Array, at: number): number {
  return bytes[at] | (bytes[at + 1] << 8);
}

function u32(bytes: Uint8Array, at: number): number {
  return (u16(bytes, at) | (u16(bytes, at + 2) << 16)) >>> 0;
}
