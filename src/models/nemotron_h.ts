/**
 * Nemotron-H (https://arxiv.org/abs/2504.03624) and Nemotron 3 Nano (https://arxiv.org/abs/2512.20848): each block is a Mamba-2
 * mixer, attention without positions, or a feed-forward part (squared ReLU, ungated), which may be a mixture of experts.
 */
import type { ModelBuilder } from "./model_builder.ts";
import { attention } from "./parts/attention.ts";
import { expertCounts, mixture, routerFromKeys, selectionBias, sharedExpertWidth } from "./parts/experts.ts";
import { feedForward } from "./parts/feed_forward.ts";
import { mixerFamily } from "./parts/mixer_stack.ts";
import { mamba2 } from "./parts/state_space.ts";

/** The file's per-layer numbers tell the kinds apart. */
function kindOf({ config }: ModelBuilder, layer: number): "mamba" | "attention" | "feed-forward" {
  if (config.feedForward[layer] > 0) return "feed-forward";
  return config.kvHeads[layer] > 0 ? "attention" : "mamba";
}

/** One of three kinds of block. */
export const nemotronH = mixerFamily({
  name: "Nemotron-H, Nemotron 3 Nano",
  architectures: ["nemotron_h", "nemotron_h_moe"],
  summary: "each block is Mamba-2, attention without positions, or squared-ReLU feed-forward (or experts)",
  traits: {
    attention: "causal, in some blocks",
    feedForward: "ReLU² in some blocks; MoE: experts, sigmoid router with selection bias, shared expert",
    state: "KV cache and recurrent",
  },
  mixer(m, layer, x, finish) {
    const kind = kindOf(m, layer);
    if (kind === "mamba") return mamba2(m, layer, x, finish);
    if (kind === "attention") return attention(m, layer, x, {}, finish);
    const plain = { kind: "plain", activation: "relu_squared" } as const;
    if (expertCounts(m).experts === 0) return feedForward(m, layer, x, plain, finish);
    return mixture(m, layer, x, {
      ...plain,
      router: { ...routerFromKeys(m, { scoring: "sigmoid", renormalize: true }), ...selectionBias(m, layer) },
      shared: { ...plain, inner: sharedExpertWidth(m, layer) },
    }, finish);
  },
});
