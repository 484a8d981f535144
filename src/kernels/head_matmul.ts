/**
 * A matrix of its own for every head: the absorbed projections of multi-head latent attention.
 *
 * DeepSeek-V2, https://arxiv.org/abs/2405.04434, section 2.1: the up-projection of the keys is absorbed into the query
 * and that of the values into the output, so attention runs over the compressed cache itself. Rotated elements of a
 * head pass by unchanged (`tail`).
 */
import type { GpuContext, NodeBase, Operation, ReferenceContext, Value, Weight } from "./operation.ts";
import { dot, rowOf } from "./matrix.ts";
import { recordExpertProduct } from "./expert_product.ts";

/** Per head h: `y[h] = [W[h] x[h][0, columns), x[h][columns, columns + tail)]`. */
export interface HeadMatmulNode extends NodeBase {
  readonly op: "head_matmul";
  /** `[rows, heads * (columns + tail)]` */
  readonly inputs: readonly [Value];
  /** `[rows, heads * (weight rows + tail)]` */
  readonly outputs: readonly [Value];
  /** `[heads, rows, columns]` */
  readonly weight: Weight;
  /** Elements at the end of each head that are copied. */
  readonly tail: number;
}

/** Reference: head by head. */
export function headMatmulReference(node: HeadMatmulNode, context: ReferenceContext): void {
  const x = context.matrix(node.inputs[0]);
  const y = context.matrix(node.outputs[0]);
  const { experts: heads, rows, columns } = node.weight;
  const weight = context.weight(node.weight);
  for (let r = 0; r < x.rows; r++) {
    for (let head = 0; head < heads; head++) {
      const input = rowOf(x, r).subarray(head * (columns + node.tail), (head + 1) * (columns + node.tail));
      const output = rowOf(y, r).subarray(head * (rows + node.tail), (head + 1) * (rows + node.tail));
      const projected = input.subarray(0, columns);
      for (let i = 0; i < rows; i++) {
        const start = (head * rows + i) * columns;
        output[i] = dot(weight.subarray(start, start + columns), projected);
      }
      output.set(input.subarray(columns), rows);
    }
  }
}

/** GPU: one dispatch, a product per head and row. */
function record(node: HeadMatmulNode, gpu: GpuContext): void {
  recordExpertProduct(gpu, {
    x: gpu.matrix(node.inputs[0]),
    y: gpu.matrix(node.outputs[0]),
    slots: node.weight.experts,
    weight: node.weight,
    rows: node.weight.rows,
    slottedX: true,
    tail: node.tail,
  });
}

/** `head_matmul`. */
export const headMatmul: Operation<HeadMatmulNode> = {
  op: "head_matmul",
  reference: headMatmulReference,
  record,
};
