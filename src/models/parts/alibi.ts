/**
 * Attention with linear biases: each head's penalty per position of distance (Press et al. 2021, https://arxiv.org/abs/2108.12409).
 */
import type { Weight } from "../../kernels/operation.ts";
import type { ModelBuilder } from "../model_builder.ts";

/** BLOOM's files have no `attention.max_alibi_bias`: the paper's value. */
const DEFAULT_MAX_BIAS = 8;

/** `[heads]`: a geometric series; for a head count that is no power of two, its odd members fill the rest, as the paper's code does. */
export function alibiSlopes(m: ModelBuilder, heads: number): Weight {
  const maxBias = m.config.keys.positive("attention.max_alibi_bias", DEFAULT_MAX_BIAS);
  return m.tensors.constant(`alibi:${heads}:${maxBias}`, () => {
    const series = 2 ** Math.floor(Math.log2(heads));
    return Float32Array.from({ length: heads }, (_, head) => {
      const exponent = head < series ? (head + 1) / series : (2 * (head - series) + 1) / (2 * series);
      return 2 ** (-maxBias * exponent);
    });
  });
}
