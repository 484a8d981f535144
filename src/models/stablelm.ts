/**
 * StableLM (https://arxiv.org/abs/2402.17834): LLaMA with layer norms and partial rotary. The 1.6B has biases on queries, keys and
 * values; the 12B has parallel blocks and a norm on each head of queries and keys.
 */
import { decoderFamily } from "./parts/family.ts";

/** Layer norm, partial rotary. */
export const stablelm = decoderFamily({
  name: "StableLM",
  architectures: ["stablelm"],
  summary: "layer norm, partial rotary; parallel blocks in the 12B",
  spec: {
    norm: "layer",
    positions: { kind: "rope", pairing: "halves" },
    qkNorm: { kind: "layer", over: "each-head", optional: true },
    feedForward: { kind: "gated", activation: "silu" },
    biases: ["norm"],
    ownOutput: true,
  },
  refine: (m) => m.config.keys.boolean("use_parallel_residual", false) ? { block: "parallel" } : {},
  traits: {
    positions: "RoPE, halves, partial",
    attention: "causal, q/k norm per head in the 12B",
    block: "sequential, or parallel in the 12B",
    biases: "norm, qkv in the 1.6B",
  },
});
