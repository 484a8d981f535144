/**
 * Draws a token with the probabilities of a softmax, without computing them: the Gumbel-max trick (Gumbel 1954; see
 * Maddison et al. 2014, https://arxiv.org/abs/1411.0030). With independent Gumbel noise on every logit, the highest sum
 * is token i with probability `exp(logit_i) / sum exp(logit_j)`. A maximum needs no sorted order, which suits the device.
 */
import { best, type Candidate } from "./candidates.ts";
import { gumbelNoise } from "./random.ts";

/** The id drawn from `candidates` (temperature applied) by random numbers of (`seed`, `step`). */
export function draw(candidates: readonly Candidate[], seed: number, step: number): number {
  return best(candidates.map(({ id, logit }) => ({ id, logit: logit + gumbelNoise(seed, step, id) }))).id;
}
