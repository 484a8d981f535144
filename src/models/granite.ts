/** Granite 3 and 4 dense (https://huggingface.co/ibm-granite): LLaMA with multipliers on embeddings, residuals, scores and logits. */
import type { Config } from "./config.ts";
import { decoderFamily } from "./parts/family.ts";
import type { TransformerSpec } from "./parts/transformer.ts";

/** The four multipliers that all Granite models have; the one on scores is the file's `attention.scale`. */
export const graniteMultipliers = {
  embeddingScale: (config: Config) => config.keys.positive("embedding_scale", 1),
  residualScale: (config: Config) => config.keys.positive("residual_scale", 1),
  logitScale: (config: Config) => 1 / config.keys.positive("logit_scale", 1),
} as const satisfies Partial<TransformerSpec>;

/** LLaMA with multipliers. */
export const granite = decoderFamily({
  name: "Granite",
  architectures: ["granite"],
  summary: "LLaMA with multipliers on embeddings, residuals, scores and logits",
  spec: {
    ...graniteMultipliers,
    positions: { kind: "rope", pairing: "adjacent" },
    feedForward: { kind: "gated", activation: "silu" },
  },
});
