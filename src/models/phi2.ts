/** Phi-1.5 and Phi-2 (https://arxiv.org/abs/2309.05463): parallel block from one layer norm, partial rotary, biases everywhere. */
import { decoderFamily } from "./parts/family.ts";

/** Parallel blocks with all biases. */
export const phi2 = decoderFamily({
  name: "Phi-2",
  architectures: ["phi2"],
  summary: "parallel block from one norm, partial rotary, biases everywhere",
  spec: {
    norm: "layer",
    block: "parallel",
    positions: { kind: "rope", pairing: "halves" },
    feedForward: { kind: "plain", activation: "gelu" },
    biases: ["norm", "qkv", "attention output", "feed-forward", "logits"],
    ownOutput: true,
  },
  traits: { positions: "RoPE, halves, partial" },
});
