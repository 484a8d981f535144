/** Candidates: the tokens that may still be chosen, with their logits. Every sampler maps candidates to candidates. */
import { logitsError, STEP_ERROR } from "../../kernels/step_buffer.ts";

/** A token and its logit. */
export interface Candidate {
  /** Index into the vocabulary. */
  readonly id: number;
  /** Natural logarithm of its probability, up to a constant. */
  readonly logit: number;
}

/**
 * All tokens of `logits [vocabulary]` in order of their ids. A logit of -infinity bans its token.
 *
 * @throws {UserError} when a logit is NaN or +infinity, or when all tokens are banned.
 */
export function candidatesOf(logits: ArrayLike<number>): Candidate[] {
  const candidates: Candidate[] = [];
  for (let id = 0; id < logits.length; id++) {
    const logit = logits[id];
    if (!(logit < Infinity)) throw logitsError(STEP_ERROR.nonFiniteLogits);
    if (logit > -Infinity) candidates.push({ id, logit });
  }
  if (candidates.length === 0) throw logitsError(STEP_ERROR.noCandidate);
  return candidates;
}

/** Sorts the better candidate first: the higher logit, or the lower id of equal ones. */
export function compareCandidates(a: Candidate, b: Candidate): number {
  return b.logit - a.logit || a.id - b.id;
}

/** The best candidate. */
export function best(candidates: readonly Candidate[]): Candidate {
  return candidates.reduce((
    winner,
    candidate,
  ) => (compareCandidates(candidate, winner) < 0 ? candidate : winner));
}

/** `exp(logit - best logit)` of each candidate: probabilities up to their common divisor. */
export function weightsOf(candidates: readonly Candidate[]): number[] {
  const top = best(candidates).logit;
  return candidates.map(({ logit }) => Math.exp(logit - top));
}
