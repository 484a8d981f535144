/** How a token is chosen from logits: the options that the readable samplers and the device sampler share. */

/**
 * A complete set of sampling options; `resolveSampling` in `src/inference/sampling` fills in defaults and checks ranges.
 *
 * The chain is always: penalties, top-k, top-p, min-p, temperature, draw.
 */
export interface SamplingOptions {
  /** Divides the logits before the draw; 0 takes the best token and ignores the filters. */
  readonly temperature: number;
  /** Keep the `topK` best tokens; 0 keeps all. */
  readonly topK: number;
  /** Keep the fewest best tokens that hold this share of the probability; 1 keeps all. */
  readonly topP: number;
  /** Keep tokens at least this many times as probable as the best one; 0 keeps all. */
  readonly minP: number;
  /** Recent tokens' positive logits are divided, their negative ones multiplied by this; 1 changes nothing. */
  readonly repeatPenalty: number;
  /** How many of the last tokens, the prompt's included, the three penalties look at. */
  readonly repeatLastN: number;
  /** Subtracted from the logit of every recent token; 0 changes nothing. */
  readonly presencePenalty: number;
  /** Subtracted from the logit of a recent token, once per occurrence; 0 changes nothing. */
  readonly frequencyPenalty: number;
  /** Key of the random numbers: same seed, options and prompt give the same text. */
  readonly seed: number;
}

/** Largest `repeatLastN`: the device keeps this many tokens. */
export const REPEAT_LAST_N_MAX = 4096;

/** Whether the penalties can change a logit at all. */
export function hasPenalties(options: SamplingOptions): boolean {
  const { repeatLastN, repeatPenalty, presencePenalty, frequencyPenalty } = options;
  return repeatLastN > 0 && (repeatPenalty !== 1 || presencePenalty !== 0 || frequencyPenalty !== 0);
}
