/**
 * Matrix product with a weight: the operation that reads nearly all bytes of a forward pass.
 *
 * The optional parts let the fusion passes fold neighbours in: an RMS norm of the input, and an activation, a scale
 * and a residual on the output.
 */
import type { GpuContext, NodeBase, Operation, ReferenceContext, Value, Weight } from "./operation.ts";
import { activate, type Activation, activationIndex } from "./activations.ts";
import { assert } from "../common/assert.ts";
import { planMatmul } from "./matmul_plan.ts";
import { dot, rowOf } from "./matrix.ts";
import { parameters, spansOf } from "./recording.ts";

/**
 * `y = residual + scale * activation(W x' + bias)` with `x' = x`, or `x' = rmsNorm(x) * norm.weight`. With a second
 * matrix `up`, as in gated feed-forward blocks, `y = residual + scale * activation(W x' + bias) * (U x' + up.bias)`. Where rows have
 * gates, what is added to the residual is multiplied by `sigmoid(gate[t])`.
 */
export interface MatmulNode extends NodeBase {
  readonly op: "matmul";
  /** `x [rows, columns]`, then the residual `[rows, width]` if there is one, then the gates `[rows, 1]` if there are any. */
  readonly inputs: readonly [Value] | readonly [Value, Value] | readonly [Value, Value, Value];
  /** `[rows, weight rows]` */
  readonly outputs: readonly [Value];
  readonly weight: Weight;
  /** `[weight rows]` */
  readonly bias?: Weight;
  readonly activation: Activation;
  readonly scale: number;
  /** RMS norm over the whole input row, applied first. `weight`: `[columns]`. */
  readonly norm?: { readonly weight: Weight; readonly epsilon: number };
  /** Same shape and format as `weight`. */
  readonly up?: { readonly weight: Weight; readonly bias?: Weight };
}

/** Reference: one dot product per output. */
export function matmulReference(node: MatmulNode, context: ReferenceContext): void {
  const x = context.matrix(node.inputs[0]);
  const residual = node.inputs[1] && context.matrix(node.inputs[1]);
  const gates = node.inputs[2] && context.matrix(node.inputs[2]);
  const y = context.matrix(node.outputs[0]);
  const weight = context.weight(node.weight);
  const bias = node.bias && context.weight(node.bias);
  const up = node.up && context.weight(node.up.weight);
  const upBias = node.up?.bias && context.weight(node.up.bias);
  const columns = node.weight.columns;
  for (let r = 0; r < x.rows; r++) {
    const input = node.norm
      ? rmsNormed(rowOf(x, r), context.weight(node.norm.weight), node.norm.epsilon)
      : rowOf(x, r);
    const output = rowOf(y, r);
    for (let i = 0; i < output.length; i++) {
      let value = dot(weight.subarray(i * columns, (i + 1) * columns), input);
      if (bias) value += bias[i];
      value = node.scale * activate(node.activation, value);
      if (up) value *= dot(up.subarray(i * columns, (i + 1) * columns), input) + (upBias?.[i] ?? 0);
      if (gates) value *= activate("sigmoid", rowOf(gates, r)[0]);
      output[i] = residual ? rowOf(residual, r)[i] + value : value;
    }
  }
}

/** A row after an RMS norm: a copy. */
export function rmsNormed(row: Float32Array, weight: Float32Array, epsilon: number): Float32Array {
  const factor = 1 / Math.sqrt(dot(row, row) / row.length + epsilon);
  return row.map((value, i) => value * factor * weight[i]);
}

/** GPU: one pass over the weights for up to 8 tokens, tiles of both operands for more. */
function record(node: MatmulNode, gpu: GpuContext): void {
  const x = gpu.matrix(node.inputs[0]);
  const residual = node.inputs[1] && gpu.matrix(node.inputs[1]);
  const gates = node.inputs[2] && gpu.matrix(node.inputs[2]);
  const y = gpu.matrix(node.outputs[0]);
  const weight = gpu.weight(node.weight);
  const up = node.up && gpu.weight(node.up.weight);
  assert(
    !up || up.format === weight.format && up.blocks === weight.blocks,
    `${node.weight.name}: unequal pair`,
  );
  const norm = node.norm !== undefined;
  const plan = planMatmul(gpu.kernels, {
    weight: node.weight,
    device: weight,
    x,
    matrices: up ? 2 : 1,
    norm,
  });
  const constants = {
    ...plan.constants,
    ...(plan.kernel.startsWith("matvec") ? { NORM: norm } : {}),
    ACTIVATION: activationIndex(node.activation),
    PAIR: up !== undefined,
  };
  gpu.recorder.dispatch(gpu.kernels.get(plan.kernel, { format: weight.format, constants }), {
    workgroups: plan.workgroups,
    push: {
      weight: weight.span,
      weight2: up?.span ?? 0,
      x: x.span,
      y: y.span,
      bias: parameters(gpu, node.bias),
      bias2: parameters(gpu, node.up?.bias),
      residual: residual?.span ?? 0,
      normWeight: parameters(gpu, node.norm?.weight),
      rowGate: gates?.span ?? 0,
      blocks: weight.blocks,
      rows: node.weight.rows,
      columns: node.weight.columns,
      tokens: x.rows,
      xStride: x.stride,
      yStride: y.stride,
      residualStride: residual?.stride ?? 0,
      scale: node.scale,
      epsilon: node.norm?.epsilon ?? 0,
      rowGateStride: gates?.stride ?? 0,
    },
    reads: spansOf(x, residual, gates),
    writes: spansOf(y),
    label: node.weight.name,
  });
}

/** `matmul`. */
export const matmul: Operation<MatmulNode> = { op: "matmul", reference: matmulReference, record };
