/**
 * ModernBERT (https://arxiv.org/abs/2412.13663): an encoder in the shape of today's decoders: norms first, rotary positions with two
 * bases, fused GeGLU, windows that reach to both sides in two of three layers.
 */
import { encoderFamily } from "./parts/family.ts";

/** Pre-norm encoder with windows; its first block has no norm in front of attention. */
export const modernBert = encoderFamily({
  name: "ModernBERT",
  architectures: ["modern-bert"],
  summary: "norms first, two rotary bases, symmetric windows, fused GeGLU",
  spec: {
    norm: "layer",
    noFirstNorm: true,
    positions: {
      kind: "rope",
      pairing: "halves",
      windowed: { baseKey: "rope.freq_base_swa", base: 10000 },
    },
    windows: { period: 3, globalFirst: true },
    fusedQkv: true,
    embeddingNorm: true,
    feedForward: { kind: "gated", activation: "gelu_erf", fused: true },
  },
});
