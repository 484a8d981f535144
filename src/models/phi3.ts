/**
 * Phi-3 (https://arxiv.org/abs/2404.14219) and Phi-4: LLaMA with fused matrices. Long-context members rotate by LongRoPE's factors
 * (https://arxiv.org/abs/2402.13753), short or long by the context that is opened.
 */
import { decoderFamily } from "./parts/family.ts";

/** Fused qkv and gate-up, LongRoPE. */
export const phi3 = decoderFamily({
  name: "Phi-3, Phi-4",
  architectures: ["phi3"],
  summary: "fused qkv and gate-up, LongRoPE",
  spec: {
    positions: { kind: "rope", pairing: "halves" },
    windows: { period: 0 },
    fusedQkv: true,
    feedForward: { kind: "gated", activation: "silu", fused: true },
  },
});
