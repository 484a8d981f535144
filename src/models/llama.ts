/**
 * LLaMA 2 and 3, Mistral, SmolLM2 and everything else that says `llama`: RMS norm before each block, rotary positions on adjacent pairs,
 * grouped heads, SwiGLU (https://arxiv.org/abs/2302.13971, https://arxiv.org/abs/2310.06825).
 */
import { attention } from "./parts/attention.ts";
import { gatedFeedForward } from "./parts/feed_forward.ts";
import { embedTokens, outputHead } from "./parts/head.ts";
import { ropeTable } from "./parts/rope.ts";
import type { Family } from "./family.ts";

/** The family most others are variations of. */
export const llama: Family = {
  architectures: ["llama"],
  summary: "RMS norm first, rotary on adjacent pairs, grouped heads, SwiGLU",
  forward(m) {
    const { config, graph, tensors } = m;
    const rope = { ...ropeTable(m), pairing: "adjacent" } as const;
    const window = config.keys.integer("attention.sliding_window", { min: 0, max: 1 << 28 }, 0);
    const norm = (layer: number, part: string) => ({
      weight: tensors.vector(`blk.${layer}.${part}_norm.weight`, config.hidden),
      epsilon: config.normEpsilon,
    });
    let hidden = embedTokens(m);
    for (let layer = 0; layer < config.layers; layer++) {
      hidden = attention(m, layer, graph.norm(hidden, norm(layer, "attn")), { rope, window }, hidden);
      hidden = gatedFeedForward(m, layer, graph.norm(hidden, norm(layer, "ffn")), "silu", hidden);
    }
    return outputHead(m, hidden);
  },
};
