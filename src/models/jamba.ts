/**
 * Jamba (https://arxiv.org/abs/2403.19887): Mamba layers with normed step sizes, B and C, now and then an attention layer without
 * positions, and experts in every second feed-forward block.
 */
import { attention } from "./parts/attention.ts";
import { mixture } from "./parts/experts.ts";
import { decoderFamily } from "./parts/family.ts";
import { feedForward } from "./parts/feed_forward.ts";
import { mamba } from "./parts/state_space.ts";

/** Mamba and attention layers, dense and expert blocks. */
export const jamba = decoderFamily({
  name: "Jamba",
  architectures: ["jamba"],
  summary: "Mamba layers and a few attention layers without positions, experts in every second block",
  spec: {
    positions: { kind: "none" },
    attention: {
      trait: "causal in some layers, Mamba in the others",
      build: (m, layer, x, finish) =>
        m.config.kvHeads[layer] > 0 ? attention(m, layer, x, {}, finish) : mamba(m, layer, x, true, finish),
    },
    feedForward: {
      trait: "SwiGLU; experts, softmax router, in some layers",
      build: (m, layer, x, finish) =>
        m.tensors.has(`blk.${layer}.ffn_gate_inp.weight`)
          ? mixture(m, layer, x, { activation: "silu", router: { scoring: "softmax" } }, finish)
          : feedForward(m, layer, x, { kind: "gated", activation: "silu" }, finish),
    },
  },
  traits: { state: "KV cache and recurrent", biases: "convolution, step sizes" },
});
