/**
 * Granite 4 hybrid (https://huggingface.co/ibm-granite/granite-4.0-h-small): Mamba-2 layers and a few attention layers, usually
 * without positions, with Granite's multipliers; experts with a shared one, or that shared block alone.
 */
import { graniteMultipliers } from "./granite.ts";
import { graniteExperts } from "./granite_moe.ts";
import type { ModelBuilder } from "./model_builder.ts";
import { attention, type AttentionSettings } from "./parts/attention.ts";
import { expertCounts } from "./parts/experts.ts";
import { decoderFamily } from "./parts/family.ts";
import { feedForward } from "./parts/feed_forward.ts";
import { ropeTable } from "./parts/rope.ts";
import { mamba2 } from "./parts/state_space.ts";

/** Granite's converter writes `rope.scaling.finetuned` = false for models without positions. */
function rotation(m: ModelBuilder): AttentionSettings["rope"] {
  return m.config.keys.boolean("rope.scaling.finetuned", true)
    ? { ...ropeTable(m), pairing: "adjacent" }
    : undefined;
}

/** Mamba-2 and attention layers. */
export const graniteHybrid = decoderFamily({
  name: "Granite 4 hybrid",
  architectures: ["granitehybrid"],
  summary: "Mamba-2 layers and a few attention layers, with Granite's multipliers",
  spec: {
    ...graniteMultipliers,
    positions: { kind: "none" },
    attention: {
      trait: "causal in some layers, Mamba-2 in the others",
      build: (m, layer, x, finish) =>
        m.config.kvHeads[layer] > 0
          ? attention(m, layer, x, { rope: rotation(m) }, finish)
          : mamba2(m, layer, x, finish),
    },
    feedForward: {
      trait: "SwiGLU, or experts with a shared one",
      build: (m, layer, x, finish) =>
        expertCounts(m).experts > 0
          ? graniteExperts.build(m, layer, x, finish)
          : feedForward(m, layer, x, { kind: "gated", activation: "silu" }, finish),
    },
  },
  traits: {
    positions: "none; RoPE in some models",
    state: "KV cache and recurrent",
    biases: "convolution, step sizes",
  },
});
