/** What all decoders have in common: the keys of their metadata, the tensors around and inside their layers. */
import type { MetadataEntry } from "../../../src/gguf/mod.ts";
import type { Shape } from "../shapes.ts";
import { matrix, normWeight, residualGain, type TensorSpec } from "../tensor_spec.ts";

/** The keys under the architecture's name that every decoder has. */
export function decoderMetadata(shape: Shape): MetadataEntry[] {
  const key = (name: string) => `${shape.architecture}.${name}`;
  return [
    [key("block_count"), "u32", shape.layers],
    [key("context_length"), "u32", shape.contextLength],
    [key("embedding_length"), "u32", shape.hidden],
    ...(shape.feedForward > 0
      ? [[key("feed_forward_length"), "u32", shape.feedForward] satisfies MetadataEntry]
      : []),
    [key("attention.head_count"), "u32", shape.heads],
    [key("attention.head_count_kv"), "u32", shape.kvHeads],
    [key("attention.key_length"), "u32", shape.headDim],
    [key("attention.value_length"), "u32", shape.headDim],
    [key("attention.layer_norm_rms_epsilon"), "f32", shape.epsilon],
    [key("rope.freq_base"), "f32", shape.ropeBase],
    ...(shape.window ? [[key("attention.sliding_window"), "u32", shape.window] satisfies MetadataEntry] : []),
    ...(shape.experts
      ? [
        [key("expert_count"), "u32", shape.experts.count] satisfies MetadataEntry,
        [key("expert_used_count"), "u32", shape.experts.used] satisfies MetadataEntry,
        [key("expert_feed_forward_length"), "u32", shape.experts.width] satisfies MetadataEntry,
      ]
      : []),
  ];
}

/** Token table, layers, last norm, and the output matrix where it is apart. */
export function decoderTensors(shape: Shape, layer: (index: number) => readonly TensorSpec[]): TensorSpec[] {
  const { hidden, vocabulary } = shape;
  return [
    tokenTable(shape),
    ...Array.from({ length: shape.layers }, (_, index) => layer(index)).flat(),
    normWeight("output_norm.weight", hidden),
    ...(shape.tied ? [] : [matrix("output.weight", hidden, vocabulary)]),
  ];
}

/** Deviation `1 / sqrt(hidden)`, whether tied or not: a tied table has to give logits around 1. */
function tokenTable({ hidden, vocabulary }: Shape): TensorSpec {
  return matrix("token_embd.weight", hidden, vocabulary);
}

/** Query, key, value and output projections. `queryWidth` differs from `heads * headDim` where a gate rides along. */
export function attentionTensors(
  shape: Shape,
  layer: number,
  options: { queryWidth?: number } = {},
): TensorSpec[] {
  const { hidden, heads, kvHeads, headDim, layers } = shape;
  const name = (part: string) => `blk.${layer}.attn_${part}.weight`;
  return [
    matrix(name("q"), hidden, options.queryWidth ?? heads * headDim),
    matrix(name("k"), hidden, kvHeads * headDim),
    matrix(name("v"), hidden, kvHeads * headDim),
    matrix(name("output"), heads * headDim, hidden, { gain: residualGain(layers) }),
  ];
}

/** Norms of queries and keys, one weight per element of a head. */
export function queryKeyNorms({ headDim }: Shape, layer: number): TensorSpec[] {
  return [
    normWeight(`blk.${layer}.attn_q_norm.weight`, headDim),
    normWeight(`blk.${layer}.attn_k_norm.weight`, headDim),
  ];
}

/** Gate, up and down of a feed-forward block, or of an expert that every token passes (`suffix` `_shexp`). */
export function gatedTensors(
  { hidden, layers }: Shape,
  layer: number,
  width: number,
  suffix = "",
): TensorSpec[] {
  const name = (part: string) => `blk.${layer}.ffn_${part}${suffix}.weight`;
  return [
    matrix(name("gate"), hidden, width),
    matrix(name("up"), hidden, width),
    matrix(name("down"), width, hidden, { gain: residualGain(layers) }),
  ];
}

/** Gate, up and down of all routed experts. */
export function expertTensors(
  { hidden, layers }: Shape,
  layer: number,
  count: number,
  width: number,
): TensorSpec[] {
  const name = (part: string) => `blk.${layer}.ffn_${part}_exps.weight`;
  return [
    matrix(name("gate"), hidden, width, { experts: count }),
    matrix(name("up"), hidden, width, { experts: count }),
    matrix(name("down"), width, hidden, { experts: count, gain: residualGain(layers) }),
  ];
}
