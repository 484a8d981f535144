/**
 * The attention block: projections (separate or fused), norms of queries and keys, rotation, cache, attention, output projection.
 */
import { UserError } from "../../common/errors.ts";
import type { AttentionOptions } from "../../graph/builder.ts";
import type { StateSlot, Value } from "../../kernels/operation.ts";
import type { RopePairing } from "../../kernels/rope.ts";
import type { Config } from "../config.ts";
import type { ModelBuilder } from "../model_builder.ts";
import { epsilon, type NormSpec } from "./norm.ts";
import type { RopeTable } from "./rope.ts";

/** Norm of queries and keys, tensors `attn_q_norm` and `attn_k_norm`. */
export interface QkNorm {
  readonly kind: NormSpec["kind"];
  /** `head`: one weight for all heads. `each-head`: a weight per head. `row`: over the whole projection. */
  readonly over: "head" | "each-head" | "row";
  /** Before the rotation unless said otherwise. */
  readonly after?: "rope";
  /** Only where the file has the tensors. */
  readonly optional?: boolean;
  /** Without weights: there are no tensors. */
  readonly weightless?: boolean;
}

/** How a block's last product is finished: `residual + scale * (W x + bias)`. */
export interface Finish {
  readonly residual?: Value;
  readonly scale?: number;
}

/** Sizes of a layer's heads. */
export interface HeadShape {
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly valueDim: number;
}

/** How a layer attends; what is left out is plain. */
export interface AttentionSettings extends
  Partial<
    Pick<
      AttentionOptions,
      "window" | "chunk" | "causal" | "softcap" | "alibiSlopes" | "sinks" | "relativeBias" | "temperature"
    >
  > {
  readonly rope?: RopeTable & { readonly pairing: RopePairing };
  /** Factor on the scores; `1 / sqrt(headDim)` by default, or the file's `attention.scale`. */
  readonly scale?: number;
  readonly qkNorm?: QkNorm;
  /** Whether the file is expected to hold one `attn_qkv`; either form is used where found. */
  readonly fused?: boolean;
  /** Biases that must be there; others are used where the file has them. */
  readonly biases?: { readonly qkv?: boolean; readonly output?: boolean };
  /** Largest magnitude of a query, key or value element (MPT's `clip_qkv`). */
  readonly clamp?: number;
  readonly shape?: HeadShape;
}

/** Heads of a layer as the file's keys give them. */
export function headShape(config: Config, layer: number): HeadShape {
  const { headDim, valueDim } = config;
  const heads = config.heads[layer];
  const kvHeads = config.kvHeads[layer];
  if (heads < 1 || kvHeads < 1) {
    const key = `${config.architecture}.attention.head_count${heads < 1 ? "" : "_kv"}`;
    throw new UserError(`Cannot use key "${key}": it is missing or 0 for layer ${layer}`);
  }
  return { heads, kvHeads, headDim, valueDim };
}

/** Self-attention of layer `layer` over `x [tokens, hidden]`, output projection included. */
export function attention(
  m: ModelBuilder,
  layer: number,
  x: Value,
  settings: AttentionSettings,
  finish: Finish = {},
): Value {
  const shape = settings.shape ?? headShape(m.config, layer);
  const [q, k, v] = projections(m, layer, x, settings, shape);
  const attended = cachedAttention(
    m,
    layer,
    normedAndRotated(m, layer, "q", q, settings, shape),
    normedAndRotated(m, layer, "k", k, settings, shape),
    v,
    attentionOptions(m, settings, shape),
  );
  return outputProjection(m, layer, attended, settings, finish);
}

/** Queries, keys and values: three products, or views of one. */
export function projections(
  m: ModelBuilder,
  layer: number,
  x: Value,
  settings: AttentionSettings,
  shape: HeadShape,
): [q: Value, k: Value, v: Value] {
  const { graph, tensors } = m;
  const required = settings.biases?.qkv;
  const project = (part: string, rows: number) => {
    const y = graph.matmul(x, tensors.matrix(`blk.${layer}.attn_${part}.weight`, rows, x.width), {
      bias: tensors.bias(`blk.${layer}.attn_${part}.bias`, rows, required),
    });
    const { clamp } = settings;
    return clamp ? graph.map(y, { kind: "clamp", low: -clamp, high: clamp }) : y;
  };
  const qWidth = shape.heads * shape.headDim;
  const kWidth = shape.kvHeads * shape.headDim;
  const vWidth = shape.kvHeads * shape.valueDim;
  const separate = tensors.has(`blk.${layer}.attn_q.weight`) ||
    !settings.fused && !tensors.has(`blk.${layer}.attn_qkv.weight`);
  if (separate) return [project("q", qWidth), project("k", kWidth), project("v", vWidth)];
  const qkv = project("qkv", qWidth + kWidth + vWidth);
  return [
    graph.columns(qkv, 0, qWidth),
    graph.columns(qkv, qWidth, kWidth),
    graph.columns(qkv, qWidth + kWidth, vWidth),
  ];
}

/** Queries or keys as the scores need them. */
export function normedAndRotated(
  m: ModelBuilder,
  layer: number,
  part: "q" | "k",
  x: Value,
  settings: AttentionSettings,
  shape: HeadShape,
): Value {
  const { qkNorm, rope } = settings;
  const rotate = (value: Value) => rope ? m.graph.rope(value, { headDim: shape.headDim, ...rope }) : value;
  const name = `blk.${layer}.attn_${part}_norm`;
  if (!qkNorm || qkNorm.optional && !m.tensors.has(`${name}.weight`)) return rotate(x);
  const normed = (value: Value) => normHeads(m, name, value, qkNorm, shape.headDim);
  return qkNorm.after === "rope" ? normed(rotate(x)) : rotate(normed(x));
}

function normHeads(m: ModelBuilder, name: string, x: Value, qkNorm: QkNorm, headDim: number): Value {
  const { tensors } = m;
  const { kind, over } = qkNorm;
  const groupWidth = over === "row" ? x.width : headDim;
  if (qkNorm.weightless) return m.graph.norm(x, { kind, groupWidth, epsilon: epsilon(m, kind) });
  const weight = over === "each-head"
    ? tensors.matrix(`${name}.weight`, x.width / headDim, headDim)
    : tensors.vector(`${name}.weight`, groupWidth);
  const bias = tensors.bias(`${name}.bias`, weight.rows * weight.columns);
  return m.graph.norm(x, { kind, groupWidth, weight, bias, epsilon: epsilon(m, kind) });
}

/** What the attention operation needs besides its inputs and its cache. */
export function attentionOptions(
  m: ModelBuilder,
  settings: AttentionSettings,
  shape: HeadShape,
): Omit<AttentionOptions, "keys" | "values"> {
  const { window, chunk, causal, softcap, alibiSlopes, sinks, relativeBias, temperature } = settings;
  // A file's scale of zero means the usual one.
  const scale = settings.scale ??
    (m.config.keys.nonNegative("attention.scale", 0) || 1 / Math.sqrt(shape.headDim));
  return { ...shape, scale, window, chunk, causal, softcap, alibiSlopes, sinks, relativeBias, temperature };
}

/** The product that ends the block. */
export function outputProjection(
  m: ModelBuilder,
  layer: number,
  attended: Value,
  settings: Pick<AttentionSettings, "biases">,
  finish: Finish,
): Value {
  const { config, tensors } = m;
  const weight = tensors.matrix(`blk.${layer}.attn_output.weight`, config.hidden, attended.width);
  const bias = tensors.bias(`blk.${layer}.attn_output.bias`, config.hidden, settings.biases?.output);
  return m.graph.matmul(attended, weight, { bias, ...finish });
}

/** The cache of a layer. */
export function layerCache(
  m: ModelBuilder,
  layer: number,
  widths: { keys: number; values: number },
): { keys: StateSlot; values: StateSlot } {
  return {
    keys: m.states.kv(`blk.${layer}.keys`, widths.keys, "keys"),
    values: m.states.kv(`blk.${layer}.values`, widths.values, "values"),
  };
}

/** Stores `k` and `v` in the layer's cache and attends over it. */
export function cachedAttention(
  m: ModelBuilder,
  layer: number,
  q: Value,
  k: Value,
  v: Value,
  options: Omit<AttentionOptions, "keys" | "values">,
): Value {
  // An encoder reads its keys once, in the batch that made them: all layers take turns in one cache.
  const cache = options.causal === false
    ? {
      keys: m.states.kv(`encoder.keys:${k.width}`, k.width, "keys"),
      values: m.states.kv(`encoder.values:${v.width}`, v.width, "values"),
    }
    : layerCache(m, layer, { keys: k.width, values: v.width });
  m.graph.storeKv(k, v, cache.keys, cache.values);
  return m.graph.attention(q, { ...cache, ...options });
}
