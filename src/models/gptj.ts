/**
 * GPT-J (https://github.com/kingoflolz/mesh-transformer-jax): attention and feed-forward block in parallel from one norm, rotary on the
 * first elements of each head, no biases in attention but one on the logits.
 */
import { decoderFamily } from "./parts/family.ts";

/** The first parallel block. */
export const gptj = decoderFamily({
  name: "GPT-J",
  architectures: ["gptj"],
  summary: "parallel block from one norm, partial rotary, bias on the logits",
  spec: {
    norm: "layer",
    block: "parallel",
    positions: { kind: "rope", pairing: "adjacent" },
    feedForward: { kind: "plain", activation: "gelu" },
    biases: ["norm", "feed-forward", "logits"],
    ownOutput: true,
  },
  traits: { positions: "RoPE, adjacent, partial" },
});
