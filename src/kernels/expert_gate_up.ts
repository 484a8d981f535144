/**
 * First half of a routed feed-forward block: for each token, the gate and up projections of its chosen experts and the
 * non-linearity between them, in one operation that reads the weights of the chosen experts only.
 *
 * Gated units: Shazeer 2020, https://arxiv.org/abs/2002.05202. The clamped form with `up + 1` is gpt-oss's: its model
 * card (https://arxiv.org/abs/2508.10925) and reference code. Without a gate the block is `activation(up)`.
 */
import type { GpuContext, NodeBase, Operation, ReferenceContext, Value, Weight } from "./operation.ts";
import { activate, type Activation } from "./activations.ts";
import { dot, rowOf } from "./matrix.ts";
import { recordExpertGroups } from "./expert_groups.ts";
import { recordExpertProduct } from "./expert_product.ts";
import { rmsNormed } from "./matmul.ts";

/** Where the two projections lie. */
export type GateUpWeights =
  /** Two stacks `[experts, inner, columns]`; without a gate the block is not gated. */
  | { readonly gate?: Weight; readonly up: Weight }
  /** One stack `[experts, 2 * inner, columns]`: the gate's rows, then the up projection's. */
  | { readonly gateUp: Weight };

/** `y[t, slot] = activation(min(W_gate[e] x + b_gate[e], limit)) * (clamp(W_up[e] x + b_up[e]) + upOffset)`, `e = ids[t, slot]`. */
export interface ExpertGateUpNode extends NodeBase {
  readonly op: "expert_gate_up";
  /** x `[rows, columns]`, ids `[rows, used]`, and, where the input is weighted, weights `[rows, used]`. */
  readonly inputs: readonly [Value, Value] | readonly [Value, Value, Value];
  /** `[rows, used * inner]`, one block of `inner` per chosen expert. */
  readonly outputs: readonly [Value];
  readonly weights: GateUpWeights;
  /** `[experts, inner]` */
  readonly gateBias?: Weight;
  /** `[experts, inner]` */
  readonly upBias?: Weight;
  readonly activation: Activation;
  /** Gate values are cut at `limit`, up values at `-limit` and `limit`; Infinity: off. */
  readonly limit: number;
  readonly upOffset: number;
  /** RMS norm over the whole input row, applied first. `weight`: `[columns]`. */
  readonly norm?: { readonly weight: Weight; readonly epsilon: number };
}

/** Reference: one pair of dot products per output. With weights, `x` is multiplied by the expert's weight first. */
export function expertGateUpReference(node: ExpertGateUpNode, context: ReferenceContext): void {
  const x = context.matrix(node.inputs[0]);
  const ids = context.matrix(node.inputs[1]);
  const factors = node.inputs[2] && context.matrix(node.inputs[2]);
  const y = context.matrix(node.outputs[0]);
  const inner = y.width / ids.width;
  const { gateRow, upRow } = rowReaders(node, context, inner);
  const gateBias = node.gateBias && context.weight(node.gateBias);
  const upBias = node.upBias && context.weight(node.upBias);
  for (let r = 0; r < x.rows; r++) {
    const input = node.norm
      ? rmsNormed(rowOf(x, r), context.weight(node.norm.weight), node.norm.epsilon)
      : rowOf(x, r);
    for (let slot = 0; slot < ids.width; slot++) {
      const expert = rowOf(ids, r)[slot];
      const factor = factors ? rowOf(factors, r)[slot] : 1;
      const output = rowOf(y, r).subarray(slot * inner, (slot + 1) * inner);
      for (let i = 0; i < inner; i++) {
        const project = (row: Float32Array, bias?: Float32Array) =>
          factor * dot(row, input) + (bias ? bias[expert * inner + i] : 0);
        const up = Math.max(-node.limit, Math.min(node.limit, project(upRow(expert, i), upBias))) +
          node.upOffset;
        const gate = gateRow(expert, i);
        output[i] = gate
          ? activate(node.activation, Math.min(node.limit, project(gate, gateBias))) * up
          : activate(node.activation, up);
      }
    }
  }
}

type RowReader<R> = (expert: number, i: number) => R;

function rowReaders(
  node: ExpertGateUpNode,
  context: ReferenceContext,
  inner: number,
): { gateRow: RowReader<Float32Array | undefined>; upRow: RowReader<Float32Array> } {
  const reader = (weight: Weight, firstRow: number): RowReader<Float32Array> => {
    const data = context.weight(weight);
    return (expert, i) => {
      const start = (expert * weight.rows + firstRow + i) * weight.columns;
      return data.subarray(start, start + weight.columns);
    };
  };
  const { weights } = node;
  if ("gateUp" in weights) {
    return { gateRow: reader(weights.gateUp, 0), upRow: reader(weights.gateUp, inner) };
  }
  return { gateRow: weights.gate ? reader(weights.gate, 0) : () => undefined, upRow: reader(weights.up, 0) };
}

/** GPU: one dispatch, a product (or a gated pair) per chosen expert of each row; where rows share experts, sorted by expert first. */
function record(node: ExpertGateUpNode, gpu: GpuContext): void {
  const [x, ids, factors] = node.inputs.map((value) => gpu.matrix(value));
  const y = gpu.matrix(node.outputs[0]);
  const { weights, activation, limit, upOffset, norm } = node;
  const rows = y.width / ids.width;
  const first = "gateUp" in weights ? weights.gateUp : weights.gate ?? weights.up;
  const groups = recordExpertGroups(gpu, ids, first.experts);
  const common = {
    x,
    y,
    ids,
    groups,
    slots: ids.width,
    factors,
    rows,
    activation,
    limit,
    upOffset,
    norm,
    weight: first,
  };
  if (!("gateUp" in weights) && !weights.gate) {
    return recordExpertProduct(gpu, { ...common, bias: node.upBias });
  }
  recordExpertProduct(gpu, {
    ...common,
    second: "gateUp" in weights ? weights.gateUp : weights.up,
    bias: node.gateBias,
    bias2: node.upBias,
  });
}

/** `expert_gate_up`. */
export const expertGateUp: Operation<ExpertGateUpNode> = {
  op: "expert_gate_up",
  reference: expertGateUpReference,
  record,
};
