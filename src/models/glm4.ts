/**
 * GLM-4-0414 (https://huggingface.co/zai-org/GLM-4-9B-0414): norms before and after each half, rotary on half of each head, gate and up
 * projections as one matrix. The 9B model has biases on queries, keys and values, the 32B none.
 */
import { decoderFamily } from "./parts/family.ts";

/** Norms around each half. */
export const glm4 = decoderFamily({
  name: "GLM-4",
  architectures: ["glm4"],
  summary: "norms before and after each half, partial rotary, fused gate and up",
  spec: {
    normPlace: "around",
    positions: { kind: "rope", pairing: "adjacent" },
    feedForward: { kind: "gated", activation: "silu", fused: true },
  },
  traits: { positions: "RoPE, adjacent, partial", biases: "qkv in the 9B" },
});
