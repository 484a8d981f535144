/**
 * Encoders for the k-quants that synthetic models are written in: each sub-block spans its own minimum and maximum,
 * and the scales are then rounded to the block's `d`. ggml's encoders search for better scales; these do not.
 */
import { readF16, writeF16 } from "./float.ts";

const LENGTH = 256;
const { abs, max, min, round } = Math;

/** Encodes whole blocks of 256 values as Q4_K. */
export function encodeQ4K(values: Float32Array, out: Uint8Array): void {
  const q = new Uint8Array(LENGTH);
  for (let v = 0, at = 0; v < values.length; v += LENGTH, at += 144) {
    out.fill(0, at, at + 144);
    encodeWithMinimums(values, v, 15, out, at, q);
    for (let i = 0; i < LENGTH; i++) out[at + 16 + nibbleByte(i)] |= q[i] << nibbleShift(i);
  }
}

/** Encodes whole blocks of 256 values as Q5_K. */
export function encodeQ5K(values: Float32Array, out: Uint8Array): void {
  const q = new Uint8Array(LENGTH);
  for (let v = 0, at = 0; v < values.length; v += LENGTH, at += 176) {
    out.fill(0, at, at + 176);
    encodeWithMinimums(values, v, 31, out, at, q);
    for (let i = 0; i < LENGTH; i++) {
      out[at + 48 + nibbleByte(i)] |= (q[i] & 15) << nibbleShift(i);
      out[at + 16 + (i & 31)] |= (q[i] >> 4) << (i >> 5);
    }
  }
}

/** Encodes whole blocks of 256 values as Q6_K. */
export function encodeQ6K(values: Float32Array, out: Uint8Array): void {
  const scales = new Float64Array(16);
  for (let v = 0, at = 0; v < values.length; v += LENGTH, at += 210) {
    out.fill(0, at, at + 210);
    let largest = 0;
    for (let sub = 0; sub < 16; sub++) {
      let peak = 0; // the value farthest from 0 becomes -32, the end of the range that reaches farther
      for (let i = 0; i < 16; i++) {
        const value = values[v + sub * 16 + i];
        if (abs(value) > abs(peak)) peak = value;
      }
      scales[sub] = peak / -32;
      largest = max(largest, abs(scales[sub]));
    }
    const d = writeF16(out, at + 208, largest / 127);
    for (let sub = 0; sub < 16; sub++) {
      const scale = d === 0 ? 0 : clamp(round(scales[sub] / d), -127, 127);
      out[at + 192 + sub] = scale;
      const step = d * scale;
      for (let i = 0; i < 16; i++) {
        const q = step === 0 ? 32 : clamp(round(values[v + sub * 16 + i] / step), -32, 31) + 32;
        const group = (sub >> 1) & 3;
        const low = at + (sub >> 3) * 64 + (group & 1) * 32 + (sub & 1) * 16 + i;
        const high = at + 128 + (sub >> 3) * 32 + (sub & 1) * 16 + i;
        out[low] |= (q & 15) << ((group >> 1) * 4);
        out[high] |= (q >> 4) << (group * 2);
      }
    }
  }
}

/** Writes `d`, `dmin` and the packed 6-bit scales of Q4_K and Q5_K at `at`, and the quants `0 ... levels` into `q`. */
function encodeWithMinimums(
  values: Float32Array,
  v: number,
  levels: number,
  out: Uint8Array,
  at: number,
  q: Uint8Array,
): void {
  const scales = new Float64Array(8);
  const minimums = new Float64Array(8); // how far each sub-block reaches below 0
  for (let sub = 0; sub < 8; sub++) {
    let low = 0;
    let high = values[v + sub * 32];
    for (let i = 0; i < 32; i++) {
      low = min(low, values[v + sub * 32 + i]);
      high = max(high, values[v + sub * 32 + i]);
    }
    scales[sub] = (high - low) / levels;
    minimums[sub] = -low;
  }
  writeF16(out, at, largestOf(scales) / 63);
  writeF16(out, at + 2, largestOf(minimums) / 63);
  const d = readF16(out, at);
  const dmin = readF16(out, at + 2);
  for (let sub = 0; sub < 8; sub++) {
    const scale = d === 0 ? 0 : clamp(round(scales[sub] / d), 0, 63);
    const minimum = dmin === 0 ? 0 : clamp(round(minimums[sub] / dmin), 0, 63);
    packScale(out, at + 4, sub, scale, minimum);
    const step = d * scale;
    for (let i = 0; i < 32; i++) {
      const above = values[v + sub * 32 + i] + dmin * minimum;
      q[sub * 32 + i] = step === 0 ? 0 : clamp(round(above / step), 0, levels);
    }
  }
}

/** The inverse of the 6-bit unpacking in k_quants.ts; the 12 bytes start out as zeros. */
function packScale(out: Uint8Array, at: number, sub: number, scale: number, minimum: number): void {
  if (sub < 4) {
    out[at + sub] |= scale;
    out[at + 4 + sub] |= minimum;
  } else {
    out[at + 4 + sub] |= (scale & 15) | ((minimum & 15) << 4);
    out[at + sub - 4] |= (scale >> 4) << 6;
    out[at + sub] |= (minimum >> 4) << 6;
  }
}

/** Q4_K and Q5_K: 64 weights share 32 bytes, the first 32 weights in the low halves. */
function nibbleByte(i: number): number {
  return (i >> 6) * 32 + (i & 31);
}

function nibbleShift(i: number): number {
  return ((i >> 5) & 1) * 4;
}

function largestOf(numbers: Float64Array): number {
  let largest = 0;
  for (const number of numbers) largest = max(largest, number);
  return largest;
}

function clamp(value: number, low: number, high: number): number {
  return min(high, max(low, value));
}
