/** MPT (https://www.databricks.com/blog/mpt-7b): ALiBi, bias-free layer norms, no biases at all; StoryWriter clips its projections. */
import { decoderFamily } from "./parts/family.ts";

/** GPT-style blocks without biases. */
export const mpt = decoderFamily({
  name: "MPT",
  architectures: ["mpt"],
  summary: "ALiBi, no biases",
  spec: {
    norm: "layer",
    positions: { kind: "alibi" },
    fusedQkv: true,
    qkNorm: { kind: "layer", over: "row", optional: true },
    feedForward: { kind: "plain", activation: "gelu_erf" },
    attentionExtras: ({ config }) => ({ clamp: config.keys.nonNegative("attention.clamp_kqv", 0) }),
  },
  traits: { attention: "causal, q/k norm per row in some" },
});
