/** Mean and spread of repeated measurements. */

/** Arithmetic mean. */
export function mean(samples: readonly number[]): number {
  return samples.reduce((sum, sample) => sum + sample, 0) / samples.length;
}

/** Standard deviation of a sample, with n - 1 in the denominator; 0 for a single one. */
export function sampleDeviation(samples: readonly number[]): number {
  if (samples.length < 2) return 0;
  const middle = mean(samples);
  const squares = samples.reduce((sum, sample) => sum + (sample - middle) ** 2, 0);
  return Math.sqrt(squares / (samples.length - 1));
}
