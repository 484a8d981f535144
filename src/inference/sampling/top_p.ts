/** Keeps the most probable tokens up to a share of all probability. Holtzman et al. 2019, https://arxiv.org/abs/1904.09751. */
import { type Candidate, compareCandidates, weightsOf } from "./candidates.ts";

/**
 * The fewest best candidates whose probabilities sum to at least `p`, best first; always at least one. Probabilities
 * are those at temperature 1 among the candidates that earlier filters left.
 */
export function topP(candidates: readonly Candidate[], p: number): readonly Candidate[] {
  if (p >= 1) return candidates;
  const sorted = candidates.toSorted(compareCandidates);
  const weights = weightsOf(sorted);
  const wanted = p * weights.reduce((sum, weight) => sum + weight, 0);
  let kept = 0;
  let sum = 0;
  do sum += weights[kept++]; while (sum < wanted && kept < sorted.length);
  return sorted.slice(0, kept);
}
