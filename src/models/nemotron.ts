/** Nemotron 4 and Minitron (https://arxiv.org/abs/2402.16819): layer norms (stored with their 1 added), squared ReLU, partial rotary. */
import { decoderFamily } from "./parts/family.ts";

/** Layer norm, squared ReLU. */
export const nemotron = decoderFamily({
  name: "Nemotron 4",
  architectures: ["nemotron"],
  summary: "layer norm, squared ReLU, partial rotary",
  spec: {
    norm: "layer",
    positions: { kind: "rope", pairing: "halves" },
    feedForward: { kind: "plain", activation: "relu_squared" },
    biases: ["norm"],
    ownOutput: true,
  },
  traits: { positions: "RoPE, halves, partial" },
});
