/**
 * EXAONE 4 (https://arxiv.org/abs/2507.11407): norms only on what a half adds, q/k norm per head; the 32B model has windows in three
 * of four layers and no positions in the global ones.
 */
import { decoderFamily } from "./parts/family.ts";
import { slidingWindow } from "./parts/windows.ts";

/** Norms after each half. */
export const exaone4 = decoderFamily({
  name: "EXAONE 4",
  architectures: ["exaone4"],
  summary: "norms after each half, q/k norm, windows with positions in the 32B",
  spec: {
    normPlace: "after",
    positions: { kind: "rope", pairing: "halves" },
    qkNorm: { kind: "rms", over: "head" },
    feedForward: { kind: "gated", activation: "silu" },
  },
  refine: (m) =>
    slidingWindow(m.config) > 0
      ? { windows: { period: 4 }, positions: { kind: "rope", pairing: "halves", layers: "windowed" } }
      : {},
  traits: {
    positions: "RoPE, halves, windowed layers only in the 32B",
    attention: "causal, window in the 32B, every 4th layer global, q/k norm per head",
  },
});
