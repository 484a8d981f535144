/**
 * Qwen3-Next (https://huggingface.co/Qwen/Qwen3-Next-80B-A3B-Instruct) and Qwen3.5: gated delta nets in three layers of four, in the
 * fourth attention with an output gate, q/k norm and rotary on part of each head. Most have experts with a gated shared one.
 *
 * Qwen3.5's rotary positions have sections for images; in text all sections count alike, which is plain rotary.
 */
import { deltaNetLayer, type DeltaNetLayout, gatedAttention, recurrentLayers } from "./parts/delta_net.ts";
import { mixture, sharedExpertWidth } from "./parts/experts.ts";
import { decoderFamily } from "./parts/family.ts";
import { ropeTable } from "./parts/rope.ts";
import type { CustomBlock, TransformerSpec } from "./parts/transformer.ts";

const EXPERTS: CustomBlock = {
  trait: "SwiGLU experts, softmax router, renormalised; gated shared expert",
  build: (m, layer, x, finish) => {
    const inner = sharedExpertWidth(m, layer) || m.config.feedForward[layer];
    return mixture(m, layer, x, {
      activation: "silu",
      router: { scoring: "softmax", renormalize: true },
      shared: { activation: "silu", inner, outputGate: true },
    }, finish);
  },
};

function hybrid(layout: DeltaNetLayout): Omit<TransformerSpec, "feedForward"> {
  return {
    normNames: { feedForward: "post_attention_norm" },
    positions: { kind: "rope", pairing: "halves" },
    attention: {
      trait: "gated delta net; every 4th layer causal with output gate and q/k norm per head",
      build: (m, layer, x, finish) => {
        if (recurrentLayers(m)[layer]) return deltaNetLayer(m, layer, x, layout, finish);
        const rope = { ...ropeTable(m), pairing: "halves" } as const;
        return gatedAttention(m, layer, x, { rope, qkNorm: { kind: "rms", over: "head" } }, finish);
      },
    },
  };
}

const TRAITS = { positions: "RoPE, halves, partial, attention layers only", state: "KV cache and recurrent" };

/** Key heads serve neighbouring value heads; alpha and beta come from one matrix. */
export const qwen3Next = decoderFamily({
  name: "Qwen3-Next",
  architectures: ["qwen3next"],
  summary: "gated delta nets and gated attention, experts with a shared one",
  spec: { ...hybrid({ keyHeadOrder: "grouped" }), feedForward: EXPERTS },
  traits: TRAITS,
});

/** Value heads reordered by the converter; dense. */
export const qwen35 = decoderFamily({
  name: "Qwen3.5",
  architectures: ["qwen35"],
  summary: "gated delta nets and gated attention",
  spec: { ...hybrid({ keyHeadOrder: "tiled" }), feedForward: { kind: "gated", activation: "silu" } },
  traits: TRAITS,
});

/** Value heads reordered by the converter; experts. */
export const qwen35Moe = decoderFamily({
  name: "Qwen3.5 MoE",
  architectures: ["qwen35moe"],
  summary: "Qwen3.5 with experts and a shared one",
  spec: { ...hybrid({ keyHeadOrder: "tiled" }), feedForward: EXPERTS },
  traits: TRAITS,
});
