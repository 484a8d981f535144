/** Sharpens (below 1) or flattens (above 1) the distribution. */
import { best, type Candidate } from "./candidates.ts";

/**
 * Divides the logits by `temperature` > 0. They are taken relative to the best one, which changes no probability and
 * keeps even the smallest temperature away from infinity.
 */
export function temperature(candidates: readonly Candidate[], temperature: number): readonly Candidate[] {
  const top = best(candidates).logit;
  return candidates.map(({ id, logit }) => ({ id, logit: (logit - top) / temperature }));
}
