/** Orion (https://arxiv.org/abs/2401.12246): LLaMA with layer norms and rotary positions on halves. */
import { decoderFamily } from "./parts/family.ts";

/** LLaMA with layer norms. */
export const orion = decoderFamily({
  name: "Orion",
  architectures: ["orion"],
  summary: "LLaMA with layer norms",
  spec: {
    norm: "layer",
    positions: { kind: "rope", pairing: "halves" },
    feedForward: { kind: "gated", activation: "silu" },
    biases: ["norm"],
    ownOutput: true,
  },
});
