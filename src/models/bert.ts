/**
 * BERT (https://arxiv.org/abs/1810.04805): learned positions, token types, norms on the sum of input and output of each half, biases
 * everywhere. nomic-bert (https://arxiv.org/abs/2402.01613) has rotary positions, SwiGLU and no biases instead.
 */
import { encoderFamily } from "./parts/family.ts";
import type { TransformerSpec } from "./parts/transformer.ts";

const shared = {
  norm: "layer",
  normPlace: "after residual",
  normNames: { afterAttention: "attn_output_norm", afterFeedForward: "layer_output_norm" },
  embeddingNorm: true,
  tokenTypes: true,
  noFinalNorm: true,
} as const satisfies Partial<TransformerSpec>;

/** The encoder that all others descend from; sentence embedding models are usually this one. */
export const bert = encoderFamily({
  name: "BERT, MiniLM, BGE, E5",
  architectures: ["bert"],
  summary: "learned positions and token types, norms on the sums, biases everywhere",
  spec: {
    ...shared,
    positions: { kind: "learned" },
    feedForward: { kind: "plain", activation: "gelu_erf" },
    biases: ["norm", "qkv", "attention output", "feed-forward"],
  },
  traits: { positions: "learned, token types" },
});

/** BERT with rotary positions and SwiGLU. */
export const nomicBert = encoderFamily({
  name: "nomic-bert",
  architectures: ["nomic-bert"],
  summary: "BERT with rotary positions, SwiGLU, no biases",
  spec: {
    ...shared,
    positions: { kind: "rope", pairing: "halves" },
    fusedQkv: true,
    feedForward: { kind: "gated", activation: "silu" },
    biases: ["norm"],
  },
  traits: { positions: "RoPE, halves, token types" },
});
