/**
 * GLM-4.5 (https://arxiv.org/abs/2508.06471): leading dense layers, then experts routed by sigmoid scores with a selection bias, one
 * shared expert, rotary on half of each head. The larger model has q/k norms.
 */
import { sigmoidMixture } from "./parts/experts.ts";
import { decoderFamily } from "./parts/family.ts";

/** Sigmoid-routed experts behind leading dense layers. */
export const glm4Moe = decoderFamily({
  name: "GLM-4.5, GLM-4.6",
  architectures: ["glm4moe"],
  summary:
    "sigmoid-routed experts with selection bias and a shared one, leading dense layers, partial rotary",
  spec: {
    normNames: { feedForward: "post_attention_norm" },
    positions: { kind: "rope", pairing: "halves" },
    qkNorm: { kind: "rms", over: "head", optional: true },
    feedForward: sigmoidMixture,
  },
  traits: {
    positions: "RoPE, halves, partial",
    attention: "causal, q/k norm per head in the 355B",
    biases: "qkv, optional",
  },
});
