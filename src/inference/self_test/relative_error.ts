/** How far results are from what is expected. */

/** Largest difference as a share of the largest expected element. */
export function relativeError(actual: Float32Array, expected: Float32Array): number {
  if (actual.length !== expected.length) return NaN;
  let worst = 0;
  let magnitude = 0;
  for (let i = 0; i < expected.length; i++) {
    const difference = Math.abs(actual[i] - expected[i]);
    if (Number.isNaN(difference)) return NaN;
    worst = Math.max(worst, difference);
    magnitude = Math.max(magnitude, Math.abs(expected[i]));
  }
  return magnitude > 0 ? worst / magnitude : worst;
}
