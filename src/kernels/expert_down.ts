/**
 * Second half of a routed feed-forward block: the down projections of the chosen experts, summed with their weights.
 *
 * One operation, so that for one token each output is a single accumulation over the rows of all chosen experts
 * (equation 2 of Mixtral, https://arxiv.org/abs/2401.04088) and no intermediate `[used, hidden]` exists.
 */
import type { GpuContext, NodeBase, Operation, ReferenceContext, Value, Weight } from "./operation.ts";
import { dot, rowOf } from "./matrix.ts";
import { recordExpertGroups } from "./expert_groups.ts";
import { recordExpertProduct } from "./expert_product.ts";
import { elementGrid, spansOf } from "./recording.ts";

/** `y[t] = residual[t] + scale * sum over slots of weights[t, slot] * (W[e] h[t, slot] + bias[e])`, `e = ids[t, slot]`. */
export interface ExpertDownNode extends NodeBase {
  readonly op: "expert_down";
  /** h `[rows, used * columns]`, ids `[rows, used]`, weights `[rows, used]`, then the residual `[rows, width]` if there is one. */
  readonly inputs: readonly [Value, Value, Value] | readonly [Value, Value, Value, Value];
  /** `[rows, weight rows]` */
  readonly outputs: readonly [Value];
  /** `[experts, rows, columns]` */
  readonly weight: Weight;
  /** `[experts, weight rows]` */
  readonly bias?: Weight;
  readonly scale: number;
  /** Whether the weights apply here (true) or were applied to the experts' input already (false: all ones). */
  readonly weighted: boolean;
}

/** Reference: for each output, one dot product per chosen expert. */
export function expertDownReference(node: ExpertDownNode, context: ReferenceContext): void {
  const [h, ids, factors] = node.inputs.slice(0, 3).map((value) => context.matrix(value));
  const residual = node.inputs[3] && context.matrix(node.inputs[3]);
  const y = context.matrix(node.outputs[0]);
  const weight = context.weight(node.weight);
  const bias = node.bias && context.weight(node.bias);
  const { rows, columns } = node.weight;
  for (let r = 0; r < h.rows; r++) {
    const output = rowOf(y, r);
    for (let i = 0; i < rows; i++) {
      let sum = 0;
      for (let slot = 0; slot < ids.width; slot++) {
        const expert = rowOf(ids, r)[slot];
        const start = (expert * rows + i) * columns;
        const inner = rowOf(h, r).subarray(slot * columns, (slot + 1) * columns);
        const value = dot(weight.subarray(start, start + columns), inner) +
          (bias ? bias[expert * rows + i] : 0);
        sum += node.weighted ? rowOf(factors, r)[slot] * value : value;
      }
      output[i] = node.scale * sum + (residual ? rowOf(residual, r)[i] : 0);
    }
  }
}

/**
 * GPU: one dispatch, in which the rows of all chosen experts are one long dot product per output. Where rows share experts, sorted
 * by expert: then the products come first and a second dispatch sums them.
 */
function record(node: ExpertDownNode, gpu: GpuContext): void {
  const [x, ids, allFactors] = node.inputs.slice(0, 3).map((value) => gpu.matrix(value));
  const factors = node.weighted ? allFactors : undefined;
  const residual = node.inputs[3] && gpu.matrix(node.inputs[3]);
  const y = gpu.matrix(node.outputs[0]);
  const { weight, bias, scale } = node;
  const slots = ids.width;
  const groups = recordExpertGroups(gpu, ids, weight.experts);
  const common = { x, ids, slots, weight, rows: weight.rows, bias, slottedX: true };
  if (!groups) {
    return recordExpertProduct(gpu, { ...common, y, factors, residual, scale, sum: true });
  }
  const width = slots * weight.rows;
  const products = { span: gpu.scratch(x.rows * width * 4), rows: x.rows, width, stride: width };
  recordExpertProduct(gpu, { ...common, y: products, groups });
  const workgroup = gpu.kernels.workgroup();
  gpu.recorder.dispatch(gpu.kernels.get("expert_sum", { constants: { WORKGROUP: workgroup } }), {
    workgroups: elementGrid(y.width, workgroup, y.rows),
    push: {
      x: products.span,
      factors: factors?.span ?? 0,
      residual: residual?.span ?? 0,
      y: y.span,
      width: y.width,
      slots,
      factorsStride: factors?.stride ?? 0,
      residualStride: residual?.stride ?? 0,
      yStride: y.stride,
      scale,
    },
    reads: spansOf(products, factors, residual),
    writes: spansOf(y),
  });
}

/** `expert_down`. */
export const expertDown: Operation<ExpertDownNode> = {
  op: "expert_down",
  reference: expertDownReference,
  record,
};
