/**
 * Qwen's mixtures. Qwen 2 MoE (https://arxiv.org/abs/2407.10671, section 2.2.2): weights as the softmax gives them, and a shared
 * expert behind a gate of its own. Qwen 3 MoE (https://arxiv.org/abs/2505.09388): weights of the chosen experts sum to one, no
 * shared expert.
 */
import { type ExpertSpec, mixture, sharedExpertWidth } from "./parts/experts.ts";
import { decoderFamily } from "./parts/family.ts";

const EXPERTS: ExpertSpec = { activation: "silu" };

/** Qwen 2 with routed experts. */
export const qwen2Moe = decoderFamily({
  name: "Qwen 1.5 MoE, Qwen 2 MoE",
  architectures: ["qwen2moe"],
  summary: "Qwen 2 with routed experts and a gated shared expert",
  spec: {
    positions: { kind: "rope", pairing: "halves" },
    feedForward: {
      trait: "SwiGLU experts, softmax router; gated shared expert",
      build: (m, layer, x, finish) => {
        const inner = sharedExpertWidth(m, layer) || m.config.feedForward[layer];
        const shared = { activation: "silu", inner, outputGate: true } as const;
        return mixture(m, layer, x, { ...EXPERTS, router: { scoring: "softmax" }, shared }, finish);
      },
    },
  },
  traits: { biases: "qkv, optional" },
});

/** Qwen 3 with routed experts. */
export const qwen3Moe = decoderFamily({
  name: "Qwen 3 MoE",
  architectures: ["qwen3moe"],
  summary: "Qwen 3 with routed experts whose weights sum to one",
  spec: {
    positions: { kind: "rope", pairing: "halves" },
    qkNorm: { kind: "rms", over: "head" },
    feedForward: {
      trait: "SwiGLU experts, softmax router, renormalised",
      build: (m, layer, x, finish) =>
        mixture(m, layer, x, { ...EXPERTS, router: { scoring: "softmax", renormalize: true } }, finish),
    },
  },
});
