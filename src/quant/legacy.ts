/**
 * ggml's first block formats: 32 weights around one float16 scale `d` (`*_0`), or between a minimum `m` and
 * `m + (2^bits - 1) d` (`*_1`). Byte `i` of `qs` holds weight `i` in its low and weight `i + 16` in its high half;
 * bit `i` of `qh` is the fifth bit of weight `i`. Defined by `block_q4_0` ... `block_q8_0` in ggml-common.h; the
 * encoders follow `quantize_row_*_ref` of ggml-quants.c to the bit, which computes in float32.
 */
import { readF16, writeF16 } from "./float.ts";
import type { Format } from "./format.ts";

const LENGTH = 32;
const HALF = 16;
const { fround, max, min, trunc } = Math;

/** 4 bits, `d (q - 8)`. */
export const Q4_0: Format = {
  name: "q4_0",
  ggmlType: 2,
  blockLength: LENGTH,
  blockBytes: 18,
  planes: [{ name: "qs", offset: 2, bytes: 16 }, { name: "d", offset: 0, bytes: 2 }],
  chunk: 32,
  device: true,
  decode(bytes, blocks, out, outOffset) {
    for (let b = 0, at = 0, o = outOffset; b < blocks; b++, at += 18, o += LENGTH) {
      const d = readF16(bytes, at);
      for (let i = 0; i < HALF; i++) {
        const q = bytes[at + 2 + i];
        out[o + i] = d * ((q & 15) - 8);
        out[o + HALF + i] = d * ((q >> 4) - 8);
      }
    }
  },
  encode(values, out) {
    const q = new Uint8Array(LENGTH);
    for (let v = 0, at = 0; v < values.length; v += LENGTH, at += 18) {
      const d = symmetric(values, v, 8, q);
      writeF16(out, at, d);
      packHalves(q, out, at + 2);
    }
  },
};

/** 4 bits and a minimum, `d q + m`. */
export const Q4_1: Format = {
  name: "q4_1",
  ggmlType: 3,
  blockLength: LENGTH,
  blockBytes: 20,
  planes: [{ name: "qs", offset: 4, bytes: 16 }, { name: "dm", offset: 0, bytes: 4 }],
  chunk: 32,
  device: true,
  decode(bytes, blocks, out, outOffset) {
    for (let b = 0, at = 0, o = outOffset; b < blocks; b++, at += 20, o += LENGTH) {
      const d = readF16(bytes, at);
      const m = readF16(bytes, at + 2);
      for (let i = 0; i < HALF; i++) {
        const q = bytes[at + 4 + i];
        out[o + i] = d * (q & 15) + m;
        out[o + HALF + i] = d * (q >> 4) + m;
      }
    }
  },
  encode(values, out) {
    const q = new Uint8Array(LENGTH);
    for (let v = 0, at = 0; v < values.length; v += LENGTH, at += 20) {
      const [d, m] = ranged(values, v, 15, q);
      writeF16(out, at, d);
      writeF16(out, at + 2, m);
      packHalves(q, out, at + 4);
    }
  },
};

/** 5 bits, `d (q - 16)`. */
export const Q5_0: Format = {
  name: "q5_0",
  ggmlType: 6,
  blockLength: LENGTH,
  blockBytes: 22,
  planes: [
    { name: "qs", offset: 6, bytes: 16 },
    { name: "qh", offset: 2, bytes: 4 },
    { name: "d", offset: 0, bytes: 2 },
  ],
  chunk: 32,
  device: true,
  decode(bytes, blocks, out, outOffset) {
    for (let b = 0, at = 0, o = outOffset; b < blocks; b++, at += 22, o += LENGTH) {
      const d = readF16(bytes, at);
      for (let i = 0; i < HALF; i++) {
        const q = bytes[at + 6 + i];
        out[o + i] = d * (((q & 15) | fifthBit(bytes, at + 2, i)) - 16);
        out[o + HALF + i] = d * (((q >> 4) | fifthBit(bytes, at + 2, i + HALF)) - 16);
      }
    }
  },
  encode(values, out) {
    const q = new Uint8Array(LENGTH);
    for (let v = 0, at = 0; v < values.length; v += LENGTH, at += 22) {
      const d = symmetric(values, v, 16, q);
      writeF16(out, at, d);
      packFifthBits(q, out, at + 2);
      packHalves(q, out, at + 6);
    }
  },
};

/** 5 bits and a minimum, `d q + m`. */
export const Q5_1: Format = {
  name: "q5_1",
  ggmlType: 7,
  blockLength: LENGTH,
  blockBytes: 24,
  planes: [
    { name: "qs", offset: 8, bytes: 16 },
    { name: "qh", offset: 4, bytes: 4 },
    { name: "dm", offset: 0, bytes: 4 },
  ],
  chunk: 32,
  device: true,
  decode(bytes, blocks, out, outOffset) {
    for (let b = 0, at = 0, o = outOffset; b < blocks; b++, at += 24, o += LENGTH) {
      const d = readF16(bytes, at);
      const m = readF16(bytes, at + 2);
      for (let i = 0; i < HALF; i++) {
        const q = bytes[at + 8 + i];
        out[o + i] = d * ((q & 15) | fifthBit(bytes, at + 4, i)) + m;
        out[o + HALF + i] = d * ((q >> 4) | fifthBit(bytes, at + 4, i + HALF)) + m;
      }
    }
  },
  encode(values, out) {
    const q = new Uint8Array(LENGTH);
    for (let v = 0, at = 0; v < values.length; v += LENGTH, at += 24) {
      const [d, m] = ranged(values, v, 31, q);
      writeF16(out, at, d);
      writeF16(out, at + 2, m);
      packFifthBits(q, out, at + 4);
      packHalves(q, out, at + 8);
    }
  },
};

/** Signed bytes, `d q`. */
export const Q8_0: Format = {
  name: "q8_0",
  ggmlType: 8,
  blockLength: LENGTH,
  blockBytes: 34,
  planes: [{ name: "qs", offset: 2, bytes: 32 }, { name: "d", offset: 0, bytes: 2 }],
  chunk: 16, // 16 weights are one 16-byte load
  device: true,
  decode(bytes, blocks, out, outOffset) {
    for (let b = 0, at = 0, o = outOffset; b < blocks; b++, at += 34, o += LENGTH) {
      const d = readF16(bytes, at);
      for (let i = 0; i < LENGTH; i++) out[o + i] = d * ((bytes[at + 2 + i] << 24) >> 24);
    }
  },
  encode(values, out) {
    for (let v = 0, at = 0; v < values.length; v += LENGTH, at += 34) {
      let peak = 0;
      for (let i = 0; i < LENGTH; i++) peak = max(peak, Math.abs(values[v + i]));
      const d = fround(peak / 127);
      const inverse = d === 0 ? 0 : fround(1 / d);
      writeF16(out, at, d);
      for (let i = 0; i < LENGTH; i++) out[at + 2 + i] = roundHalfAway(fround(values[v + i] * inverse));
    }
  },
};

/** Weight `i`'s fifth bit, in place (0 or 16). */
function fifthBit(bytes: Uint8Array, qh: number, i: number): number {
  return ((bytes[qh + (i >> 3)] >> (i & 7)) & 1) << 4;
}

/**
 * Quantizes 32 values to `0 ... 2 zero - 1` around `zero`, so that the value farthest from 0 becomes 0 exactly.
 * Returns the scale, whose sign is therefore the opposite of that value's.
 */
function symmetric(values: Float32Array, start: number, zero: number, q: Uint8Array): number {
  let peak = 0;
  for (let i = 0; i < LENGTH; i++) {
    if (Math.abs(values[start + i]) > Math.abs(peak)) peak = values[start + i];
  }
  const d = fround(peak / -zero);
  const inverse = d === 0 ? 0 : fround(1 / d);
  for (let i = 0; i < LENGTH; i++) {
    q[i] = min(2 * zero - 1, trunc(fround(fround(values[start + i] * inverse) + (zero + 0.5))));
  }
  return d;
}

/** Quantizes 32 values to `0 ... levels` between their minimum and maximum. Returns scale and minimum. */
function ranged(values: Float32Array, start: number, levels: number, q: Uint8Array): [number, number] {
  let low = values[start];
  let high = values[start];
  for (let i = 1; i < LENGTH; i++) {
    low = min(low, values[start + i]);
    high = max(high, values[start + i]);
  }
  const d = fround(fround(high - low) / levels);
  const inverse = d === 0 ? 0 : fround(1 / d);
  for (let i = 0; i < LENGTH; i++) {
    q[i] = min(levels, trunc(fround(fround(fround(values[start + i] - low) * inverse) + 0.5)));
  }
  return [d, low];
}

/** Stores the low four bits of weights `i` and `i + 16` in byte `i`. */
function packHalves(q: Uint8Array, out: Uint8Array, at: number): void {
  for (let i = 0; i < HALF; i++) out[at + i] = (q[i] & 15) | ((q[i + HALF] & 15) << 4);
}

function packFifthBits(q: Uint8Array, out: Uint8Array, at: number): void {
  out.fill(0, at, at + 4);
  for (let i = 0; i < LENGTH; i++) out[at + (i >> 3)] |= (q[i] >> 4) << (i & 7);
}

/** C's `roundf`: halves go away from zero. */
function roundHalfAway(value: number): number {
  return value < 0 ? -Math.floor(0.5 - value) : Math.floor(value + 0.5);
}
