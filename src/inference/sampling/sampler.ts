/** The sampler chain on the CPU: the readable form of what `shaders/sample*.comp` do on the device. */
import type { SamplingOptions } from "../../kernels/sampling_options.ts";
import { best, type Candidate, candidatesOf } from "./candidates.ts";
import { draw } from "./draw.ts";
import { minP } from "./min_p.ts";
import { penalties } from "./penalties.ts";
import { temperature } from "./temperature.ts";
import { topK } from "./top_k.ts";
import { topP } from "./top_p.ts";

/** The candidates of one draw, temperature applied. `history`: earlier tokens, oldest first. Temperature above 0. */
export function survivors(
  logits: ArrayLike<number>,
  history: readonly number[],
  options: SamplingOptions,
): readonly Candidate[] {
  const penalised = penalties(candidatesOf(logits), history, options);
  const filtered = minP(topP(topK(penalised, options.topK), options.topP), options.minP);
  return temperature(filtered, options.temperature);
}

/** Draws tokens one after the other; remembers them for the penalties. */
export class Sampler {
  readonly #options: SamplingOptions;
  readonly #history: number[];
  #step = 0;

  /** Starts at draw 0 of the seed; `history`: tokens before the first sampled one, oldest first. */
  constructor(options: SamplingOptions, history: readonly number[] = []) {
    this.#options = options;
    this.#history = options.repeatLastN > 0 ? history.slice(-options.repeatLastN) : [];
  }

  /**
   * Chooses the next token from `logits [vocabulary]`.
   *
   * @throws {UserError} when a logit is NaN or +infinity, or all are -infinity.
   */
  sample(logits: ArrayLike<number>): number {
    const token = this.#choose(logits);
    this.#history.push(token);
    if (this.#history.length > this.#options.repeatLastN) this.#history.shift();
    this.#step++;
    return token;
  }

  #choose(logits: ArrayLike<number>): number {
    const options = this.#options;
    if (options.temperature === 0) return best(penalties(candidatesOf(logits), this.#history, options)).id;
    return draw(survivors(logits, this.#history, options), options.seed, this.#step);
  }
}
