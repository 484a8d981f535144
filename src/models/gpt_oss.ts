/**
 * gpt-oss (https://arxiv.org/abs/2508.10925): every second layer sees a window, each head has a sink that takes part in its softmax,
 * and the experts' gated units are clamped: `min(gate, 7) * sigmoid(1.702 gate) * (clamp(up, -7, 7) + 1)`, biases everywhere.
 */
import { mixture } from "./parts/experts.ts";
import { decoderFamily } from "./parts/family.ts";

/** Attention sinks, clamped and biased experts. */
export const gptOss = decoderFamily({
  name: "gpt-oss",
  architectures: ["gpt-oss"],
  summary: "attention sinks, alternating window, biased experts with clamped SwiGLU",
  spec: {
    normNames: { feedForward: "post_attention_norm" },
    positions: { kind: "rope", pairing: "halves" },
    windows: { period: 2 },
    biases: ["qkv", "attention output"],
    attentionExtras: (m, layer) => ({
      sinks: m.tensors.vector(`blk.${layer}.attn_sinks.weight`, m.config.heads[layer]),
    }),
    feedForward: {
      trait: "clamped SwiGLU experts, softmax over the chosen",
      build: (m, layer, x, finish) =>
        mixture(m, layer, x, {
          activation: "gelu_quick",
          limit: 7,
          upOffset: 1,
          biases: true,
          router: { scoring: "softmax_chosen" },
        }, finish),
    },
  },
  traits: {
    attention: "causal, window, every 2nd layer global, sinks",
    biases: "qkv, attention output, router, experts",
  },
});
