/**
 * The blocks of Mamba (https://arxiv.org/abs/2312.00752, figure 3) and Mamba-2 (https://arxiv.org/abs/2405.21060, figure 6):
 * projection, short convolution, scan, gate, projection. Tensors are called `ssm_*`; `ssm_a` holds `-exp(A_log)`.
 */
import { UserError } from "../../common/errors.ts";
import { selectiveScan, shortConvolution, stateSpaceScan } from "../../graph/recurrent_nodes.ts";
import type { Value } from "../../kernels/operation.ts";
import type { ModelBuilder } from "../model_builder.ts";
import type { Finish } from "./attention.ts";

/** Upper bounds that no real model comes near. */
const MAX = { width: 1 << 20, kernel: 64, state: 1 << 12 };

/** Sizes of a state space layer. */
export interface StateSpaceShape {
  /** Width between the two projections. */
  readonly inner: number;
  /** State elements per channel. */
  readonly stateSize: number;
  /** Taps of the short convolution. */
  readonly kernel: number;
  /** Mamba: rank of the step sizes. Mamba-2 and delta nets: (value) heads. */
  readonly rank: number;
  /** Mamba-2: groups of heads that share B and C. Delta nets: key heads. */
  readonly groups: number;
}

/** The file's `ssm.*` keys. */
export function stateSpaceShape(m: ModelBuilder): StateSpaceShape {
  const { keys, architecture } = m.config;
  const shape = {
    inner: keys.integer("ssm.inner_size", { min: 1, max: MAX.width }),
    stateSize: keys.integer("ssm.state_size", { min: 1, max: MAX.state }),
    kernel: keys.integer("ssm.conv_kernel", { min: 2, max: MAX.kernel }),
    rank: keys.integer("ssm.time_step_rank", { min: 1, max: MAX.width }),
    groups: keys.integer("ssm.group_count", { min: 0, max: MAX.width }, 0) || 1,
  };
  if (shape.rank % shape.groups !== 0 && keys.has("ssm.group_count")) {
    throw new UserError(
      `Cannot use key "${architecture}.ssm.group_count": ${shape.rank} heads do not divide into ${shape.groups} groups`,
    );
  }
  return shape;
}

/** Convolution over time with the layer's own state, then SiLU. */
export function convolved(m: ModelBuilder, layer: number, x: Value, kernel: number): Value {
  const { graph, tensors, states } = m;
  return shortConvolution(
    graph,
    x,
    tensors.parameters(`blk.${layer}.ssm_conv1d.weight`, x.width, kernel),
    states.recurrent(`blk.${layer}.convolution`, kernel * x.width),
    { bias: tensors.optionalVector(`blk.${layer}.ssm_conv1d.bias`, x.width), activation: "silu" },
  );
}

/** Mamba's block. With `norms`, step sizes, B and C are RMS-normalised first (Jamba, Falcon-Mamba), with weights where the file has them. */
export function mamba(m: ModelBuilder, layer: number, x: Value, norms: boolean, finish: Finish = {}): Value {
  const { config, graph, tensors, states } = m;
  const { inner, stateSize, kernel, rank } = stateSpaceShape(m);
  const product = (part: string, input: Value, rows: number, bias = false) =>
    graph.matmul(input, tensors.matrix(`blk.${layer}.ssm_${part}.weight`, rows, input.width), {
      bias: bias ? tensors.vector(`blk.${layer}.ssm_${part}.bias`, rows) : undefined,
    });
  const projected = product("in", x, 2 * inner);
  const u = convolved(m, layer, graph.columns(projected, 0, inner), kernel);
  const parameters = product("x", u, rank + 2 * stateSize);
  const part = (name: string, start: number, width: number) => {
    const value = graph.columns(parameters, start, width);
    const weight = tensors.optionalVector(`blk.${layer}.ssm_${name}_norm.weight`, width);
    return norms ? graph.norm(value, { weight, epsilon: config.normEpsilon }) : value;
  };
  const scanned = selectiveScan(graph, {
    x: u,
    dt: product("dt", part("dt", 0, rank), inner, true),
    b: part("b", rank, stateSize),
    c: part("c", rank + stateSize, stateSize),
    gate: graph.columns(projected, inner, inner),
  }, {
    decay: tensors.parameters(`blk.${layer}.ssm_a`, inner, stateSize),
    skip: tensors.vector(`blk.${layer}.ssm_d`, inner),
    state: states.recurrent(`blk.${layer}.state`, inner * stateSize),
  });
  return graph.matmul(scanned, tensors.matrix(`blk.${layer}.ssm_out.weight`, config.hidden, inner), finish);
}

/** Mamba-2's block. The gated output is RMS-normalised per group of heads where the file has `ssm_norm`. */
export function mamba2(m: ModelBuilder, layer: number, x: Value, finish: Finish = {}): Value {
  const { config, graph, tensors, states } = m;
  const { inner, stateSize, kernel, rank: heads, groups } = stateSpaceShape(m);
  const mixed = inner + 2 * groups * stateSize;
  const projected = graph.matmul(
    x,
    tensors.matrix(`blk.${layer}.ssm_in.weight`, inner + mixed + heads, x.width),
  );
  const scanned = stateSpaceScan(graph, {
    xbc: convolved(m, layer, graph.columns(projected, inner, mixed), kernel),
    dt: graph.columns(projected, inner + mixed, heads),
    gate: graph.columns(projected, 0, inner),
  }, {
    decay: tensors.vector(`blk.${layer}.ssm_a`, heads),
    dtBias: tensors.vector(`blk.${layer}.ssm_dt.bias`, heads),
    skip: tensors.vector(`blk.${layer}.ssm_d`, heads),
    heads,
    groups,
    stateSize,
    state: states.recurrent(`blk.${layer}.state`, inner * stateSize),
  });
  const name = `blk.${layer}.ssm_norm.weight`;
  const normed = tensors.has(name)
    ? graph.norm(scanned, {
      weight: tensors.parameters(name, groups, inner / groups),
      groupWidth: inner / groups,
      epsilon: config.normEpsilon,
    })
    : scanned;
  return graph.matmul(normed, tensors.matrix(`blk.${layer}.ssm_out.weight`, config.hidden, inner), finish);
}
