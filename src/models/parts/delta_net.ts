/**
 * The two kinds of layer in Qwen3-Next and Qwen3.5: a gated delta net (https://arxiv.org/abs/2412.06464) and attention whose
 * output is gated by a second half of the query projection.
 */
import { deltaNet } from "../../graph/recurrent_nodes.ts";
import { deinterleave } from "../../graph/expert_nodes.ts";
import type { Value } from "../../kernels/operation.ts";
import type { ModelBuilder } from "../model_builder.ts";
import {
  attentionOptions,
  type AttentionSettings,
  cachedAttention,
  type Finish,
  headShape,
  normedAndRotated,
  outputProjection,
} from "./attention.ts";
import { convolved, stateSpaceShape } from "./state_space.ts";

/** Which layers are recurrent: `attention.recurrent_layers`, or all but every `full_attention_interval`-th. */
export function recurrentLayers(m: ModelBuilder): boolean[] {
  const { keys, layers } = m.config;
  if (keys.has("attention.recurrent_layers")) {
    return keys.perLayer("attention.recurrent_layers", layers, { min: 0, max: 1 }).map((value) =>
      value === 1
    );
  }
  const interval = keys.integer("full_attention_interval", { min: 1, max: 1 << 20 }, 4);
  return Array.from({ length: layers }, (_, layer) => (layer + 1) % interval !== 0);
}

/** How a family's converter has laid out the heads of its delta nets. */
export interface DeltaNetLayout {
  /** `tiled`: value heads were reordered so that neighbours use different key heads. */
  readonly keyHeadOrder: "grouped" | "tiled";
}

/** A delta net layer over `x [tokens, hidden]`, output projection included. */
export function deltaNetLayer(
  m: ModelBuilder,
  layer: number,
  x: Value,
  { keyHeadOrder }: DeltaNetLayout,
  finish: Finish = {},
): Value {
  const { config, graph, tensors, states } = m;
  const { inner, stateSize: keyDim, kernel, rank: valueHeads, groups: keyHeads } = stateSpaceShape(m);
  const project = (name: string, rows: number) =>
    graph.matmul(x, tensors.matrix(`blk.${layer}.${name}.weight`, rows, x.width));
  const qkv = project("attn_qkv", 2 * keyHeads * keyDim + inner);
  const output = deltaNet(graph, {
    qkv: convolved(m, layer, qkv, kernel),
    gate: project("attn_gate", inner),
    ...alphaAndBeta(m, layer, project, valueHeads),
  }, {
    keyHeads,
    valueHeads,
    keyDim,
    keyHeadOrder,
    gateGroup: mixedGates(m, layer) ? valueHeads / keyHeads : valueHeads,
    decay: tensors.vector(`blk.${layer}.ssm_a`, valueHeads),
    dtBias: tensors.vector(`blk.${layer}.ssm_dt.bias`, valueHeads),
    normWeight: tensors.vector(`blk.${layer}.ssm_norm.weight`, inner / valueHeads),
    epsilon: config.normEpsilon,
    state: states.recurrent(`blk.${layer}.state`, keyDim * inner),
  });
  return graph.matmul(output, tensors.matrix(`blk.${layer}.ssm_out.weight`, config.hidden, inner), finish);
}

/** Whether alpha and beta come from one matrix, group by group of value heads that share a key head. */
function mixedGates(m: ModelBuilder, layer: number): boolean {
  return m.tensors.has(`blk.${layer}.ssm_ba.weight`);
}

function alphaAndBeta(
  m: ModelBuilder,
  layer: number,
  project: (name: string, rows: number) => Value,
  valueHeads: number,
): { alpha: Value; beta: Value } {
  if (!mixedGates(m, layer)) {
    return { alpha: project("ssm_alpha", valueHeads), beta: project("ssm_beta", valueHeads) };
  }
  const { rank, groups } = stateSpaceShape(m);
  const group = rank / groups;
  const both = project("ssm_ba", 2 * valueHeads);
  return { beta: both, alpha: m.graph.columns(both, group, both.width - group) };
}

/** Attention with a gate per element of its output; `attn_q` holds query and gate of each head side by side. */
export function gatedAttention(
  m: ModelBuilder,
  layer: number,
  x: Value,
  settings: AttentionSettings,
  finish: Finish = {},
): Value {
  const { graph, tensors } = m;
  const shape = headShape(m.config, layer);
  const { heads, kvHeads, headDim, valueDim } = shape;
  const project = (part: string, rows: number) =>
    graph.matmul(x, tensors.matrix(`blk.${layer}.attn_${part}.weight`, rows, x.width), {
      bias: tensors.optionalVector(`blk.${layer}.attn_${part}.bias`, rows),
    });
  const [q, gate] = deinterleave(graph, project("q", heads * (headDim + valueDim)), heads, headDim);
  const attended = cachedAttention(
    m,
    layer,
    normedAndRotated(m, layer, "q", q, settings, shape),
    normedAndRotated(m, layer, "k", project("k", kvHeads * headDim), settings, shape),
    project("v", kvHeads * valueDim),
    attentionOptions(m, settings, shape),
  );
  return outputProjection(m, layer, graph.gated(gate, attended, "sigmoid"), settings, finish);
}
