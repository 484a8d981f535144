/** The attention block: projections, rotation, cache, attention, output projection. */
import type { AttentionOptions } from "../../graph/builder.ts";
import type { Value, Weight } from "../../kernels/operation.ts";
import type { RopePairing } from "../../kernels/rope.ts";
import type { ModelBuilder } from "../model_builder.ts";
import type { RopeTable } from "./rope.ts";

/** How a layer attends; what is left out is plain. */
export interface AttentionSettings {
  readonly rope?: RopeTable & { readonly pairing: RopePairing };
  readonly scale?: number;
  readonly window?: number;
  readonly softcap?: number;
}

/** Self-attention of layer `layer` over `x [tokens, hidden]`; `residual` is added to the output projection. */
export function attention(m: ModelBuilder, layer: number, x: Value, settings: AttentionSettings, residual?: Value): Value {
  const { config, graph, tensors } = m;
  const heads = config.heads[layer];
  const kvHeads = config.kvHeads[layer];
  const { headDim, valueDim } = config;
  const project = (part: string, rows: number) =>
    graph.matmul(x, tensors.matrix(`blk.${layer}.attn_${part}.weight`, rows, config.hidden), {
      bias: tensors.optionalVector(`blk.${layer}.attn_${part}.bias`, rows),
    });
  const q = project("q", heads * headDim);
  const k = project("k", kvHeads * headDim);
  const v = project("v", kvHeads * valueDim);
  const rotate = (value: Value) => settings.rope ? graph.rope(value, { headDim, ...settings.rope }) : value;
  const attended = cachedAttention(m, layer, rotate(q), rotate(k), v, {
    heads,
    kvHeads,
    headDim,
    valueDim,
    scale: settings.scale ?? 1 / Math.sqrt(headDim),
    window: settings.window,
    softcap: settings.softcap,
  });
  const output: Weight = tensors.matrix(`blk.${layer}.attn_output.weight`, config.hidden, heads * valueDim);
  return graph.matmul(attended, output, {
    bias: tensors.optionalVector(`blk.${layer}.attn_output.bias`, config.hidden),
    residual,
  });
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
  const keys = m.states.kv(`blk.${layer}.keys`, k.width);
  const values = m.states.kv(`blk.${layer}.values`, v.width);
  m.graph.storeKv(k, v, keys, values);
  return m.graph.attention(q, { keys, values, ...options });
}
