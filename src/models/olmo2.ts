/**
 * OLMo 2 (https://arxiv.org/abs/2501.00656): norms only on what a half adds, q/k norm over the whole projection. OLMo 3
 * (https://arxiv.org/abs/2512.13961) says `olmo2` too, and has windows in three of four layers, which its YaRN scaling leaves alone.
 */
import { decoderFamily } from "./parts/family.ts";

/** Norms after each half. */
export const olmo2 = decoderFamily({
  name: "OLMo 2, OLMo 3",
  architectures: ["olmo2"],
  summary: "norms after each half, q/k norm over the whole projection",
  spec: {
    normPlace: "after",
    positions: { kind: "rope", pairing: "halves", windowed: { baseKey: "rope.freq_base", base: 10000 } },
    windows: { period: 4 },
    qkNorm: { kind: "rms", over: "row" },
    feedForward: { kind: "gated", activation: "silu" },
    ownOutput: true,
  },
  traits: {
    positions: "RoPE, halves",
    attention: "causal, q/k norm per row; in OLMo 3 window, every 4th layer global",
  },
});
