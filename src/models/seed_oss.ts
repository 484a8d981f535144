/** Seed-OSS (https://huggingface.co/ByteDance-Seed/Seed-OSS-36B-Instruct): Qwen 2's shape; files call the second norm `post_attention_norm`. */
import { decoderFamily } from "./parts/family.ts";

/** Biases on q, k and v where the file has them, seldom one on the output projection. */
export const seedOss = decoderFamily({
  name: "Seed-OSS",
  architectures: ["seed_oss"],
  summary: "biases on q, k and v",
  spec: {
    normNames: { feedForward: "post_attention_norm" },
    positions: { kind: "rope", pairing: "halves" },
    feedForward: { kind: "gated", activation: "silu" },
  },
  traits: { biases: "qkv, optional" },
});
