/** BLOOM (https://arxiv.org/abs/2211.05100): ALiBi instead of positions, a norm on the embeddings, biases everywhere. */
import { decoderFamily } from "./parts/family.ts";

/** GPT-style blocks with linear position biases. */
export const bloom = decoderFamily({
  name: "BLOOM",
  architectures: ["bloom"],
  summary: "ALiBi, norm on the embeddings",
  spec: {
    norm: "layer",
    positions: { kind: "alibi" },
    fusedQkv: true,
    embeddingNorm: true,
    feedForward: { kind: "plain", activation: "gelu" },
    biases: ["norm", "qkv", "attention output", "feed-forward"],
  },
});
