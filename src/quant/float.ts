/**
 * Conversions between float32 and the two 16-bit floats of GGUF files: IEEE 754 binary16 (`f16`) and bfloat16
 * (`bf16`, the upper half of a float32).
 */

/** The float32 value of every binary16 bit pattern: decoding a scale is one table look-up. */
export const F16_TO_F32: Float32Array = allHalfs();

const half = new Float16Array(1);
const halfBits = new Uint16Array(half.buffer);
const single = new Float32Array(1);
const singleBits = new Uint32Array(single.buffer);

function allHalfs(): Float32Array {
  const patterns = new Uint16Array(65536);
  for (let i = 0; i < patterns.length; i++) patterns[i] = i;
  return new Float32Array(new Float16Array(patterns.buffer));
}

/** Bit pattern of the binary16 nearest to `value` (ties to even; above 65504 it becomes infinity). */
export function f32ToF16(value: number): number {
  half[0] = Math.fround(value);
  return halfBits[0];
}

/** The value of a bfloat16 bit pattern. */
export function bf16ToF32(bits: number): number {
  singleBits[0] = bits << 16;
  return single[0];
}

/** Bit pattern of the bfloat16 nearest to `value` (ties to even; a NaN stays a quiet NaN). */
export function f32ToBf16(value: number): number {
  single[0] = value;
  const bits = singleBits[0];
  if (Number.isNaN(value)) return (bits >>> 16) | 0x40;
  return ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16) & 0xffff;
}

/** Reads a little-endian binary16 at byte `at`. */
export function readF16(bytes: Uint8Array, at: number): number {
  return F16_TO_F32[bytes[at] | (bytes[at + 1] << 8)];
}

/** Writes `value` as a little-endian binary16 at byte `at` and returns the value that was stored. */
export function writeF16(bytes: Uint8Array, at: number, value: number): number {
  const bits = f32ToF16(value);
  bytes[at] = bits & 255;
  bytes[at + 1] = bits >> 8;
  return F16_TO_F32[bits];
}
