/**
 * Command R and R+ (https://huggingface.co/CohereLabs/c4ai-command-r-plus): both halves of a block in parallel from one bias-free
 * layer norm, scaled logits; R+ norms each head of queries and keys with a weight of its own.
 *
 * Command R7B (https://huggingface.co/CohereLabs/c4ai-command-r7b-12-2024, `cohere2`): the same with windows, and without positions
 * in the global layers.
 */
import type { Config } from "./config.ts";
import { decoderFamily } from "./parts/family.ts";
import type { TransformerSpec } from "./parts/transformer.ts";

const shared = {
  norm: "layer",
  block: "parallel",
  feedForward: { kind: "gated", activation: "silu" },
  logitScale: (config: Config) => config.keys.positive("logit_scale"),
} as const satisfies Partial<TransformerSpec>;

/** Parallel blocks, rotary on adjacent pairs. */
export const commandR = decoderFamily({
  name: "Command R",
  architectures: ["command-r"],
  summary: "parallel block from one bias-free layer norm, scaled logits",
  spec: {
    ...shared,
    positions: { kind: "rope", pairing: "adjacent" },
    qkNorm: { kind: "layer", over: "each-head", optional: true },
  },
  traits: { attention: "causal, q/k norm per head in R+" },
});

/** Parallel blocks, windows with rotary positions, global layers without. */
export const cohere2 = decoderFamily({
  name: "Command R7B, Command A",
  architectures: ["cohere2"],
  summary: "Command R with windows, global layers without positions",
  spec: {
    ...shared,
    positions: { kind: "rope", pairing: "adjacent", layers: "windowed" },
    windows: { period: 4 },
  },
});
