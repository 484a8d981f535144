/** Llama, SmolLM2 and Qwen3: norm, attention, norm, gated feed-forward. Qwen3 norms queries and keys. */
import type { Shape } from "../shapes.ts";
import { exact, type ModelSpec, normWeight, type TensorSpec } from "../tensor_spec.ts";
import { attentionTensors, decoderMetadata, decoderTensors, gatedTensors, queryKeyNorms } from "./shared.ts";

/** Describes a Llama or Qwen3 model. */
export function dense(shape: Shape): ModelSpec {
  const { architecture, hidden, feedForward, ropeFactor } = shape;
  const isLlama = architecture === "llama";
  return {
    metadata: [
      ...decoderMetadata(shape),
      ...(isLlama
        ? [
          ["llama.vocab_size", "u32", shape.vocabulary] as const,
          ["llama.rope.dimension_count", "u32", shape.rotaryDim] as const,
        ]
        : []),
    ],
    tensors: [
      ...(ropeFactor ? [ropeFactors(shape, ropeFactor)] : []),
      ...decoderTensors(shape, (layer) => [
        normWeight(`blk.${layer}.attn_norm.weight`, hidden),
        ...attentionTensors(shape, layer),
        ...(isLlama ? [] : queryKeyNorms(shape, layer)),
        normWeight(`blk.${layer}.ffn_norm.weight`, hidden),
        ...gatedTensors(shape, layer, feedForward),
      ]),
    ],
  };
}

/** Positions that Llama 3 was trained on before its context was stretched. */
const ORIGINAL_CONTEXT = 8192;
const LOW_FREQUENCY_FACTOR = 1;
const HIGH_FREQUENCY_FACTOR = 4;

/**
 * Divisors of the rotary frequencies: 1 for fast ones, `factor` for those that turn less than once in the original context,
 * blended between (transformers, `_compute_llama3_parameters`).
 */
function ropeFactors({ rotaryDim, ropeBase }: Shape, factor: number): TensorSpec {
  return exact("rope_freqs.weight", [rotaryDim / 2], (pair) => {
    const wavelength = 2 * Math.PI * ropeBase ** (2 * pair / rotaryDim);
    const turns = ORIGINAL_CONTEXT / wavelength;
    if (turns > HIGH_FREQUENCY_FACTOR) return 1;
    if (turns < LOW_FREQUENCY_FACTOR) return factor;
    const smooth = (turns - LOW_FREQUENCY_FACTOR) / (HIGH_FREQUENCY_FACTOR - LOW_FREQUENCY_FACTOR);
    return 1 / ((1 - smooth) / factor + smooth);
  });
}
