/**
 * LLaMA 1 to 3, Mistral, SmolLM2 and everything else whose files say `llama`: the family that the others are variations of
 * (https://arxiv.org/abs/2302.13971, https://arxiv.org/abs/2310.06825). LLaMA 3's long-context factors come as `rope_freqs`.
 */
import { mixtralFeedForward } from "./mixtral.ts";
import { expertCounts } from "./parts/experts.ts";
import { decoderFamily } from "./parts/family.ts";

/** The family with every knob at its default. */
export const llama = decoderFamily({
  name: "LLaMA, Mistral, Mixtral",
  architectures: ["llama"],
  summary: "RMS norm first, rotary on adjacent pairs, grouped heads, SwiGLU",
  spec: {
    positions: { kind: "rope", pairing: "adjacent" },
    windows: { period: 0 },
    feedForward: { kind: "gated", activation: "silu" },
  },
  refine: (m) => expertCounts(m).experts > 0 ? { feedForward: mixtralFeedForward } : {},
  traits: { feedForward: "SwiGLU; Mixtral: experts" },
});
