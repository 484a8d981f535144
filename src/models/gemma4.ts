/**
 * Gemma 4 (https://huggingface.co/google/gemma-4-E2B-it): Gemma 3's norms and windows, with heads of another size in global layers, a
 * norm on values, unscaled scores, keys that the last layers share, and per-layer embeddings: every layer adds a small vector of
 * its own for each token, gated by the hidden state (introduced with Gemma 3n, https://ai.google.dev/gemma/docs/gemma-3n).
 */
import { UserError } from "../common/errors.ts";
import type { StateSlot, Value } from "../kernels/operation.ts";
import type { Config } from "./config.ts";
import type { Family } from "./family.ts";
import { denseAndExperts, hasExperts } from "./gemma4_moe.ts";
import type { ModelBuilder } from "./model_builder.ts";
import {
  attentionOptions,
  type AttentionSettings,
  type HeadShape,
  headShape,
  layerCache,
  normedAndRotated,
  outputProjection,
} from "./parts/attention.ts";
import { feedForward } from "./parts/feed_forward.ts";
import { embedTokens, outputHead } from "./parts/head.ts";
import { norm } from "./parts/norm.ts";
import { ropeTable } from "./parts/rope.ts";
import { layerWindows } from "./parts/windows.ts";

const RMS = { kind: "rms" } as const;

/** Gemma 4 with or without routed experts. */
export const gemma4: Family = {
  name: "Gemma 4",
  architectures: ["gemma4"],
  kind: "decoder",
  summary: "per-layer embeddings, heads of two sizes, shared keys in the last layers",
  traits: {
    norm: "RMS, around",
    positions: "RoPE, halves, own base for windowed layers",
    attention: "causal, window, q/k/v norm per head, last layers share keys and values",
    feedForward: "GeGLU; MoE: experts beside it, softmax router, renormalised",
    block: "sequential, per-layer embeddings",
    biases: "none",
    output: "own or tied, soft-capped",
    state: "KV cache",
  },
  forward(m) {
    const { config, graph } = m;
    const plan = layerPlan(config);
    let hidden = embedTokens(m, Math.sqrt(config.hidden));
    const perLayer = perLayerInputs(m, hidden);
    const caches: Cache[] = [];
    for (let layer = 0; layer < config.layers; layer++) {
      const name = `blk.${layer}.`;
      const attended = attend(m, layer, norm(m, hidden, `${name}attn_norm`, RMS), plan, caches);
      hidden = graph.sum(hidden, norm(m, attended, `${name}post_attention_norm`, RMS));
      const fed = feed(m, layer, hidden);
      hidden = graph.sum(hidden, norm(m, fed, `${name}post_ffw_norm`, RMS));
      if (perLayer) hidden = addPerLayer(m, layer, hidden, perLayer);
      hidden = graph.scale(hidden, layerScale(m, layer));
    }
    return outputHead(m, hidden, { softcap: config.keys.nonNegative("final_logit_softcapping", 0) });
  },
};

type Cache = ReturnType<typeof layerCache>;

/** What differs from layer to layer. */
interface LayerPlan {
  /** 0 for global layers. */
  readonly windows: readonly number[];
  readonly shapes: readonly HeadShape[];
  /** The layer whose keys and values a layer reads: itself, or the last of its kind that has its own. */
  readonly cacheOf: readonly number[];
}

function layerPlan(config: Config): LayerPlan {
  const { keys, layers } = config;
  const windows = layerWindows(config, { period: 6 });
  const size = (key: string, fallback: number) => keys.integer(key, { min: 1, max: 1 << 14 }, fallback);
  const windowed = {
    headDim: size("attention.key_length_swa", config.headDim),
    valueDim: size("attention.value_length_swa", config.valueDim),
  };
  const shapes = windows.map((window, layer) => ({
    ...headShape(config, layer),
    ...(window > 0 ? windowed : {}),
  }));
  const shared = keys.integer("attention.shared_kv_layers", { min: 0, max: layers - 1 }, 0);
  const cacheOf = windows.map((window, layer) => {
    if (layer < layers - shared) return layer;
    return windows.slice(0, layers - shared).findLastIndex((other) => other > 0 === window > 0);
  });
  return { windows, shapes, cacheOf };
}

function attend(m: ModelBuilder, layer: number, x: Value, plan: LayerPlan, caches: Cache[]): Value {
  const { graph } = m;
  const window = plan.windows[layer];
  const shape = plan.shapes[layer];
  const settings: AttentionSettings = {
    window,
    scale: 1,
    qkNorm: { kind: "rms", over: "head" },
    rope: { ...rotation(m, window > 0, shape), pairing: "halves" },
  };
  const q = project(m, layer, "q", x, shape.heads * shape.headDim);
  if (plan.cacheOf[layer] === layer) caches[layer] = store(m, layer, x, settings, shape);
  const attended = graph.attention(normedAndRotated(m, layer, "q", q, settings, shape), {
    ...cacheFor(plan, layer, caches),
    ...attentionOptions(m, settings, shape),
  });
  return outputProjection(m, layer, attended, {}, {});
}

/** Global layers rotate by the file's `rope_freqs`, windowed ones by their own base. */
function rotation(m: ModelBuilder, windowed: boolean, shape: HeadShape) {
  const { keys } = m.config;
  if (!windowed) return ropeTable(m);
  const rotaryDim = keys.integer("rope.dimension_count_swa", { min: 2, max: shape.headDim }, shape.headDim);
  return ropeTable(m, { base: keys.positive("rope.freq_base_swa", 10000), rotaryDim, scaled: false });
}

/** Writes a layer's keys and values to its cache. A global layer without `attn_v` takes the raw keys as values, normed their own way. */
function store(
  m: ModelBuilder,
  layer: number,
  x: Value,
  settings: AttentionSettings,
  shape: HeadShape,
): Cache {
  const k = project(m, layer, "k", x, shape.kvHeads * shape.headDim);
  const own = settings.window || shape.valueDim !== shape.headDim ||
    m.tensors.has(`blk.${layer}.attn_v.weight`);
  const v = own ? project(m, layer, "v", x, shape.kvHeads * shape.valueDim) : k;
  const cache = layerCache(m, layer, { keys: k.width, values: v.width });
  const values = m.graph.norm(v, { groupWidth: shape.valueDim, epsilon: m.config.normEpsilon });
  m.graph.storeKv(normedAndRotated(m, layer, "k", k, settings, shape), values, cache.keys, cache.values);
  return cache;
}

function cacheFor(plan: LayerPlan, layer: number, caches: Cache[]): { keys: StateSlot; values: StateSlot } {
  const cache = caches[plan.cacheOf[layer]];
  if (!cache) {
    throw new UserError(
      `Cannot share keys with layer ${layer}: no earlier layer has the same kind of attention`,
    );
  }
  return cache;
}

function project(m: ModelBuilder, layer: number, part: string, x: Value, rows: number): Value {
  return m.graph.matmul(x, m.tensors.matrix(`blk.${layer}.attn_${part}.weight`, rows, x.width));
}

/** The feed-forward half, up to the norm behind it. */
function feed(m: ModelBuilder, layer: number, hidden: Value): Value {
  if (hasExperts(m, layer)) return denseAndExperts(m, layer, hidden);
  const x = norm(m, hidden, `blk.${layer}.ffn_norm`, RMS);
  return feedForward(m, layer, x, { kind: "gated", activation: "gelu" });
}

/**
 * The vectors of all layers, `[tokens, layers * width]`: a table's row per token and a projection of its embedding, averaged so that
 * the sum keeps its variance.
 */
function perLayerInputs(m: ModelBuilder, embedded: Value): Value | undefined {
  const { config, graph, tensors } = m;
  const width = perLayerWidth(config);
  if (width === 0) return undefined;
  const all = config.layers * width;
  const table = tensors.matrix("per_layer_token_embd.weight", config.vocab, all);
  const looked = graph.embed(table, { scale: Math.sqrt(width) * Math.SQRT1_2 });
  const projected = graph.matmul(
    embedded,
    tensors.matrix("per_layer_model_proj.weight", all, config.hidden),
    {
      scale: 1 / Math.sqrt(config.hidden),
    },
  );
  const normed = graph.norm(projected, {
    groupWidth: width,
    weight: tensors.vector("per_layer_proj_norm.weight", width),
    epsilon: config.normEpsilon,
  });
  return graph.sum(looked, normed, Math.SQRT1_2);
}

function addPerLayer(m: ModelBuilder, layer: number, hidden: Value, perLayer: Value): Value {
  const { config, graph, tensors } = m;
  const width = perLayerWidth(config);
  const name = `blk.${layer}.`;
  const gate = graph.matmul(hidden, tensors.matrix(`${name}inp_gate.weight`, width, config.hidden));
  const gated = graph.gated(gate, graph.columns(perLayer, layer * width, width), "gelu");
  const added = graph.matmul(gated, tensors.matrix(`${name}proj.weight`, config.hidden, width));
  return graph.sum(hidden, norm(m, added, `${name}post_norm`, RMS));
}

function perLayerWidth(config: Config): number {
  return config.keys.integer("embedding_length_per_layer_input", { min: 0, max: 1 << 16 }, 0);
}

/** The whole stream is scaled behind each layer. */
function layerScale(m: ModelBuilder, layer: number): number {
  const name = `blk.${layer}.layer_output_scale.weight`;
  return m.tensors.has(name) ? m.tensors.values(name, 1)[0] : 1;
}
