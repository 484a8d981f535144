/**
 * LFM2 (https://arxiv.org/abs/2511.23404): gated short convolutions in most layers, attention with q/k norm in the others. The
 * mixture models route by sigmoid with a selection bias behind leading dense layers. The last norm is called `token_embd_norm`.
 */
import { attention } from "./parts/attention.ts";
import { sigmoidMixture } from "./parts/experts.ts";
import { decoderFamily } from "./parts/family.ts";
import { gatedConvolution } from "./parts/gated_convolution.ts";
import { ropeTable } from "./parts/rope.ts";
import type { TransformerSpec } from "./parts/transformer.ts";

const SPEC = {
  normNames: { final: "token_embd_norm" },
  positions: { kind: "rope", pairing: "halves" },
  attention: {
    trait: "causal with q/k norm per head in some layers, gated convolution in the others",
    build: (m, layer, x, finish) => {
      if (m.config.kvHeads[layer] === 0) return gatedConvolution(m, layer, x, finish);
      const rope = { ...ropeTable(m), pairing: "halves" } as const;
      return attention(m, layer, x, { rope, qkNorm: { kind: "rms", over: "head" } }, finish);
    },
  },
} as const satisfies Partial<TransformerSpec>;

const TRAITS = { state: "KV cache and recurrent" };

/** Convolution and attention layers. */
export const lfm2 = decoderFamily({
  name: "LFM2",
  architectures: ["lfm2"],
  summary: "gated short convolutions in most layers, attention in the others",
  spec: { ...SPEC, feedForward: { kind: "gated", activation: "silu" } },
  traits: TRAITS,
});

/** With routed experts. */
export const lfm2Moe = decoderFamily({
  name: "LFM2 MoE",
  architectures: ["lfm2moe"],
  summary: "LFM2 with sigmoid-routed experts behind leading dense layers",
  spec: { ...SPEC, feedForward: sigmoidMixture },
  traits: TRAITS,
});
