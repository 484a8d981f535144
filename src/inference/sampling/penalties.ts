/**
 * Makes recently seen tokens less likely.
 *
 * Repetition penalty: Keskar et al. 2019, https://arxiv.org/abs/1909.05858 (section 4.1), in the form everyone uses,
 * which multiplies negative logits so that they fall too. Presence and frequency penalties: as OpenAI's API defines
 * them, though over the recent tokens of prompt and answer, as in llama.cpp.
 */
import { hasPenalties, type SamplingOptions } from "../../kernels/sampling_options.ts";
import type { Candidate } from "./candidates.ts";

/** Applies the three penalties for the last `repeatLastN` tokens of `history` (oldest first). */
export function penalties(
  candidates: readonly Candidate[],
  history: readonly number[],
  options: SamplingOptions,
): readonly Candidate[] {
  if (!hasPenalties(options)) return candidates;
  const counts = new Map<number, number>();
  for (const id of history.slice(-options.repeatLastN)) counts.set(id, (counts.get(id) ?? 0) + 1);
  return candidates.map((candidate) => {
    const count = counts.get(candidate.id);
    return count ? { id: candidate.id, logit: penalised(candidate.logit, count, options) } : candidate;
  });
}

function penalised(logit: number, count: number, options: SamplingOptions): number {
  const repeated = logit > 0 ? logit / options.repeatPenalty : logit * options.repeatPenalty;
  return repeated - count * options.frequencyPenalty - options.presencePenalty;
}
