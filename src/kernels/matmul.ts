/**
 * Matrix product with a weight: the operation that reads nearly all bytes of a forward pass.
 *
 * The optional parts let the fusion passes fold neighbours in: an RMS norm of the input, and an activation, a scale
 * and a residual on the output.
 */
import type { NodeBase, ReferenceContext, Value, Weight } from "./operation.ts";
import { activate, type Activation } from "./activations.ts";
import { dot, rowOf } from "./matrix.ts";

/** `y = residual + scale * activation(W x' + bias)` with `x' = x`, or `x' = rmsNorm(x) * norm.weight`. */
export interface MatmulNode extends NodeBase {
  readonly op: "matmul";
  /** `x [rows, columns]`, then the residual `[rows, width]` if there is one. */
  readonly inputs: readonly [Value] | readonly [Value, Value];
  /** `[rows, weight rows]` */
  readonly outputs: readonly [Value];
  readonly weight: Weight;
  /** `[weight rows]` */
  readonly bias?: Weight;
  readonly activation: Activation;
  readonly scale: number;
  /** RMS norm over the whole input row, applied first. `weight`: `[columns]`. */
  readonly norm?: { readonly weight: Weight; readonly epsilon: number };
}

/** Reference: one dot product per output. */
export function matmulReference(node: MatmulNode, context: ReferenceContext): void {
  const x = context.matrix(node.inputs[0]);
  const residual = node.inputs[1] && context.matrix(node.inputs[1]);
  const y = context.matrix(node.outputs[0]);
  const weight = context.weight(node.weight);
  const bias = node.bias && context.weight(node.bias);
  const columns = node.weight.columns;
  for (let r = 0; r < x.rows; r++) {
    const input = node.norm ? rmsNormed(rowOf(x, r), context.weight(node.norm.weight), node.norm.epsilon) : rowOf(x, r);
    const output = rowOf(y, r);
    for (let i = 0; i < output.length; i++) {
      let value = dot(weight.subarray(i * columns, (i + 1) * columns), input);
      if (bias) value += bias[i];
      value = node.scale * activate(node.activation, value);
      output[i] = residual ? rowOf(residual, r)[i] + value : value;
    }
  }
}

function rmsNormed(row: Float32Array, weight: Float32Array, epsilon: number): Float32Array {
  const factor = 1 / Math.sqrt(dot(row, row) / row.length + epsilon);
  return row.map((value, i) => value * factor * weight[i]);
}
