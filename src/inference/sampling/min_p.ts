/** Keeps tokens whose probability is not too far below the best one's. Nguyen et al. 2024, https://arxiv.org/abs/2407.01082. */
import { best, type Candidate } from "./candidates.ts";

/** Candidates at least `p` times as probable (at temperature 1) as the best one. `p` = 0 keeps all. */
export function minP(candidates: readonly Candidate[], p: number): readonly Candidate[] {
  if (p === 0) return candidates;
  const threshold = best(candidates).logit + Math.log(p);
  return candidates.filter(({ logit }) => logit >= threshold);
}
