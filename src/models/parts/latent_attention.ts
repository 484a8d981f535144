/**
 * Multi-head latent attention (DeepSeek-V2, https://arxiv.org/abs/2405.04434, section 2.1): the cache holds one compressed
 * vector and one rotated key per position, shared by all heads. The projections out of the compressed space are absorbed into
 * the query (`attn_k_b`) and the output (`attn_v_b`), so attention is multi-query attention over the compressed cache.
 */
import { headMatmul } from "../../graph/expert_nodes.ts";
import type { Value } from "../../kernels/operation.ts";
import type { RopePairing } from "../../kernels/rope.ts";
import type { ModelBuilder } from "../model_builder.ts";
import { type Finish, outputProjection } from "./attention.ts";
import { norm } from "./norm.ts";
import type { RopeTable } from "./rope.ts";

/** Upper bound of the compressed widths. */
const MAX_RANK = 1 << 16;

/** How a layer attends. */
export interface LatentAttentionSettings {
  readonly rope: RopeTable & { readonly pairing: RopePairing };
  /** Factor on the scores. */
  readonly scale: number;
}

/** Elements of a query or key head of the uncompressed attention: what the scores are scaled by. */
export function latentHeadDim(m: ModelBuilder): number {
  return m.config.keys.integer("attention.key_length_mla", { min: 1, max: MAX_RANK });
}

/** Self-attention of layer `layer` over `x [tokens, hidden]`, output projection included. */
export function latentAttention(
  m: ModelBuilder,
  layer: number,
  x: Value,
  { rope, scale }: LatentAttentionSettings,
  finish: Finish = {},
): Value {
  const { config, graph, tensors, states } = m;
  const heads = config.heads[layer];
  const rank = config.keys.integer("attention.kv_lora_rank", { min: 1, max: MAX_RANK });
  const valueDim = config.keys.integer("attention.value_length_mla", { min: 1, max: MAX_RANK });
  const headDim = latentHeadDim(m);
  const { rotaryDim } = rope;
  const plainDim = headDim - rotaryDim;

  const q = graph.rope(queries(m, layer, x, heads * headDim), { headDim, rotaryOffset: plainDim, ...rope });
  const absorbed = headMatmul(
    graph,
    q,
    tensors.experts(`blk.${layer}.attn_k_b.weight`, heads, rank, plainDim),
    rotaryDim,
  );
  const compressed = graph.matmul(
    x,
    tensors.matrix(`blk.${layer}.attn_kv_a_mqa.weight`, rank + rotaryDim, x.width),
  );
  const key = graph.value(`blk.${layer}.latent`, x.rows, rank + rotaryDim);
  graph.norm(graph.columns(compressed, 0, rank), {
    weight: tensors.vector(`blk.${layer}.attn_kv_a_norm.weight`, rank),
    epsilon: config.normEpsilon,
    into: graph.columns(key, 0, rank),
  });
  graph.rope(graph.columns(compressed, rank, rotaryDim), {
    headDim: rotaryDim,
    ...rope,
    into: graph.columns(key, rank, rotaryDim),
  });
  // The values are the first `rank` elements of the keys: one cache serves both. It is small, and what is rounded in it is multiplied
  // into the keys and values of every head, so it is float32.
  const cache = states.kv(`blk.${layer}.latent`, rank + rotaryDim);
  graph.storeKeys(key, cache);
  const attended = graph.attention(absorbed, {
    keys: cache,
    values: cache,
    heads,
    kvHeads: 1,
    headDim: rank + rotaryDim,
    valueDim: rank,
    scale,
  });
  const values = headMatmul(
    graph,
    attended,
    tensors.experts(`blk.${layer}.attn_v_b.weight`, heads, valueDim, rank),
  );
  return outputProjection(m, layer, values, {}, finish);
}

/** Queries of all heads, straight or through a compressed space of their own. */
function queries(m: ModelBuilder, layer: number, x: Value, width: number): Value {
  const { config, graph, tensors } = m;
  const rank = config.keys.integer("attention.q_lora_rank", { min: 0, max: MAX_RANK }, 0);
  if (rank === 0) return graph.matmul(x, tensors.matrix(`blk.${layer}.attn_q.weight`, width, x.width));
  const compressed = graph.matmul(x, tensors.matrix(`blk.${layer}.attn_q_a.weight`, rank, x.width));
  const normed = norm(m, compressed, `blk.${layer}.attn_q_a_norm`, { kind: "rms" });
  return graph.matmul(normed, tensors.matrix(`blk.${layer}.attn_q_b.weight`, width, rank));
}
