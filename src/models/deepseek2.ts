/**
 * DeepSeek-V2 (https://arxiv.org/abs/2405.04434) and V3, R1 (https://arxiv.org/abs/2412.19437): latent attention, leading dense
 * layers, then many small experts with shared ones. V2 routes by softmax, V3 by sigmoid with a selection bias and expert groups.
 */
import { leadingDense, mixture, routerFromKeys, selectionBias, sharedExpertWidth } from "./parts/experts.ts";
import { decoderFamily } from "./parts/family.ts";
import { latentAttention, type LatentAttentionSettings, latentHeadDim } from "./parts/latent_attention.ts";
import { ropeTable } from "./parts/rope.ts";
import type { ModelBuilder } from "./model_builder.ts";

/**
 * Scale of the scores. Under YaRN, DeepSeek multiplies queries and keys alike by `1 + 0.1 mscale_all_dim ln(factor)` here and not
 * in the rotation; the file's key is `0.1 mscale_all_dim`.
 */
function scoreScale(m: ModelBuilder): number {
  const { keys } = m.config;
  const factor = keys.positive("rope.scaling.factor", 1);
  const magnitude = 1 + keys.nonNegative("rope.scaling.yarn_log_multiplier", 0) * Math.log(factor);
  return magnitude ** 2 / Math.sqrt(latentHeadDim(m));
}

/** The rotation; without a multiplier for the scores, YaRN's usual factor stays on it. */
function rotation(m: ModelBuilder): LatentAttentionSettings["rope"] {
  const table = ropeTable(m);
  const elsewhere = m.config.keys.number("rope.scaling.yarn_log_multiplier", 0) !== 0;
  return { ...table, pairing: "adjacent", magnitude: elsewhere ? 1 : table.magnitude };
}

/** Latent attention and routed experts. */
export const deepseek2 = decoderFamily({
  name: "DeepSeek V2, V3, R1",
  architectures: ["deepseek2"],
  summary: "latent attention, many small experts with shared ones, leading dense layers",
  spec: {
    positions: { kind: "rope", pairing: "adjacent" },
    attention: {
      trait: "causal, latent",
      build: (m, layer, x, finish) =>
        latentAttention(m, layer, x, { rope: rotation(m), scale: scoreScale(m) }, finish),
    },
    feedForward: leadingDense(
      "SwiGLU experts, softmax (V2) or sigmoid (V3) router, shared experts",
      (m, layer, x, finish) =>
        mixture(m, layer, x, {
          activation: "silu",
          router: { ...routerFromKeys(m, { scoring: "softmax" }), ...selectionBias(m, layer) },
          shared: { activation: "silu", inner: sharedExpertWidth(m, layer) },
        }, finish),
    ),
  },
  traits: { positions: "RoPE, adjacent, on part of each head", state: "KV cache, compressed" },
});
