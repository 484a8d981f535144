/**
 * Random numbers without state: a function of (seed, step, token), so that a lane of the device and a loop on the CPU
 * compute the same ones in any order.
 *
 * Philox4x32-10: Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3",
 * https://doi.org/10.1145/2063384.2063405. `shaders/include/sample_random.glsl` is the same in GLSL.
 */

/** Four random u32 for a 128-bit counter and a 64-bit key, each given as u32 words. */
export function philox4x32(
  counter: readonly [number, number, number, number],
  key: readonly [number, number],
): [number, number, number, number] {
  let [c0, c1, c2, c3] = counter;
  let [k0, k1] = key;
  for (let round = 0; round < 10; round++) {
    const [high0, low0] = multiply(0xd2511f53, c0);
    const [high1, low1] = multiply(0xcd9e8d57, c2);
    [c0, c1, c2, c3] = [(high1 ^ c1 ^ k0) >>> 0, low1, (high0 ^ c3 ^ k1) >>> 0, low0];
    k0 = (k0 + 0x9e3779b9) >>> 0;
    k1 = (k1 + 0xbb67ae85) >>> 0;
  }
  return [c0, c1, c2, c3];
}

/** Both halves of the 64-bit product of two u32; partial products of 16 bits stay exact in doubles. */
function multiply(a: number, b: number): [high: number, low: number] {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const middle = aHigh * (b & 0xffff) + Math.floor((aLow * (b & 0xffff)) / 2 ** 16);
  const carry = aLow * (b >>> 16) + (middle % 2 ** 16);
  const high = aHigh * (b >>> 16) + Math.floor(middle / 2 ** 16) + Math.floor(carry / 2 ** 16);
  return [high, Math.imul(a, b) >>> 0];
}

/**
 * Standard Gumbel noise for token `id` at draw `step`: `-ln(-ln(1 - v))` with v uniform in (0, 1).
 *
 * @param seed Whole number from 0 to 2^53 - 1.
 */
export function gumbelNoise(seed: number, step: number, id: number): number {
  const [word] = philox4x32([id, step, 0, 0], [seed >>> 0, Math.floor(seed / 2 ** 32)]);
  const v = (word + 0.5) / 2 ** 32;
  return -Math.log(-Math.log1p(-v));
}
