/**
 * GPT-2 (https://cdn.openai.com/better-language-models/language_models_are_unsupervised_multitask_learners.pdf): learned positions,
 * layer norms, biases everywhere. StarCoder (https://arxiv.org/abs/2305.06161) is the same with one key head.
 */
import { decoderFamily, type TransformerFamily } from "./parts/family.ts";

const spec: TransformerFamily["spec"] = {
  norm: "layer",
  positions: { kind: "learned" },
  fusedQkv: true,
  feedForward: { kind: "plain", activation: "gelu" },
  biases: ["norm", "qkv", "attention output", "feed-forward"],
};

/** The decoder that all others descend from. */
export const gpt2 = decoderFamily({
  name: "GPT-2",
  architectures: ["gpt2"],
  summary: "learned positions, layer norm, biases everywhere",
  spec,
});

/** GPT-2 with multi-query attention. */
export const starcoder = decoderFamily({
  name: "StarCoder",
  architectures: ["starcoder"],
  summary: "GPT-2 with multi-query attention",
  spec,
});
