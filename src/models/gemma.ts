/**
 * Gemma (https://arxiv.org/abs/2403.08295), Gemma 2 (https://arxiv.org/abs/2408.00118), Gemma 3 (https://arxiv.org/abs/2503.19786) and
 * EmbeddingGemma (https://arxiv.org/abs/2509.20354): embeddings scaled by the root of their width, GeGLU. Files hold norm weights with
 * their 1 added.
 *
 * Gemma 2 adds norms after each half, soft caps and a window in every other layer; Gemma 3 replaces the caps by q/k norms and gives
 * its windowed layers a rotary base of their own.
 */
import type { Config } from "./config.ts";
import { decoderFamily, encoderFamily } from "./parts/family.ts";
import type { TransformerSpec } from "./parts/transformer.ts";

/** Base of windowed layers where the file does not say it. */
const WINDOWED_BASE = 10000;

const shared = {
  feedForward: { kind: "gated", activation: "gelu" },
  embeddingScale: (config: Config) => Math.sqrt(config.hidden),
} as const satisfies Partial<TransformerSpec>;

/** Embedding scale, GeGLU, wide heads. */
export const gemma = decoderFamily({
  name: "Gemma",
  architectures: ["gemma"],
  summary: "embeddings scaled by the root of their width, GeGLU",
  spec: { ...shared, positions: { kind: "rope", pairing: "halves" } },
});

/** Norms around each half, alternating windows, soft caps. */
export const gemma2 = decoderFamily({
  name: "Gemma 2",
  architectures: ["gemma2"],
  summary: "norms before and after each half, alternating windows, soft caps",
  spec: {
    ...shared,
    normPlace: "around",
    positions: { kind: "rope", pairing: "halves" },
    windows: { period: 2 },
    // The 27B model, known by its depth, scales by its hidden width per head.
    attentionScale: (config) => queryScale(config, 46),
    scoreSoftcap: (config) => config.keys.nonNegative("attn_logit_softcapping", 50),
    logitSoftcap: (config) => config.keys.nonNegative("final_logit_softcapping", 30),
  },
});

const gemma3Spec: TransformerSpec = {
  ...shared,
  normPlace: "around",
  positions: {
    kind: "rope",
    pairing: "halves",
    windowed: { baseKey: "rope.freq_base_swa", base: WINDOWED_BASE },
  },
  windows: { period: 6 },
  qkNorm: { kind: "rms", over: "head" },
  attentionScale: (config) => queryScale(config, 62),
};

/** Five windowed layers to one global, two rotary bases, q/k norm. */
export const gemma3 = decoderFamily({
  name: "Gemma 3",
  architectures: ["gemma3"],
  summary: "five windowed layers, then a global one; two rotary bases, q/k norm",
  spec: { ...gemma3Spec, logitSoftcap: (config) => config.keys.nonNegative("final_logit_softcapping", 0) },
  traits: { output: "own or tied" },
});

/** Gemma 3 that looks both ways. */
export const gemmaEmbedding = encoderFamily({
  name: "EmbeddingGemma",
  architectures: ["gemma-embedding"],
  summary: "Gemma 3 without the causal mask; windows reach to both sides",
  spec: gemma3Spec,
});

function queryScale(config: Config, layersOf27B: number): number {
  const width = config.layers === layersOf27B ? config.hidden / config.heads[0] : config.headDim;
  return 1 / Math.sqrt(width);
}
