/**
 * Qwen 2 and 2.5 (https://arxiv.org/abs/2407.10671): LLaMA with biases on queries, keys and values. Qwen 3
 * (https://arxiv.org/abs/2505.09388): no biases, norms on the heads of queries and keys instead.
 */
import { decoderFamily } from "./parts/family.ts";

/** Biases on q, k and v. */
export const qwen2 = decoderFamily({
  name: "Qwen 2, Qwen 2.5",
  architectures: ["qwen2"],
  summary: "biases on q, k and v",
  spec: {
    positions: { kind: "rope", pairing: "halves" },
    feedForward: { kind: "gated", activation: "silu" },
    biases: ["qkv"],
  },
});

/** q/k norm per head. */
export const qwen3 = decoderFamily({
  name: "Qwen 3",
  architectures: ["qwen3"],
  summary: "q/k norm per head",
  spec: {
    positions: { kind: "rope", pairing: "halves" },
    qkNorm: { kind: "rms", over: "head" },
    feedForward: { kind: "gated", activation: "silu" },
  },
});
