/** Multiplies each row by one number of its own: the gate on a shared expert (Qwen2-MoE), which is a sigmoid of one logit. */
import type { GpuContext, NodeBase, Operation, ReferenceContext, Value } from "./operation.ts";
import { activate, type Activation, activationIndex } from "./activations.ts";
import { rowOf } from "./matrix.ts";
import { elementGrid, spansOf } from "./recording.ts";

/** `y[t] = activation(factor[t]) * x[t]`. */
export interface ScaleRowsNode extends NodeBase {
  readonly op: "scale_rows";
  /** x `[rows, width]`, factor `[rows, 1]` */
  readonly inputs: readonly [Value, Value];
  /** `[rows, width]` */
  readonly outputs: readonly [Value];
  readonly activation: Activation;
}

/** Reference: row by row. */
export function scaleRowsReference(node: ScaleRowsNode, context: ReferenceContext): void {
  const x = context.matrix(node.inputs[0]);
  const factor = context.matrix(node.inputs[1]);
  const y = context.matrix(node.outputs[0]);
  for (let r = 0; r < x.rows; r++) {
    const scale = activate(node.activation, rowOf(factor, r)[0]);
    const into = rowOf(y, r);
    rowOf(x, r).forEach((value, i) => into[i] = scale * value);
  }
}

/** GPU: one lane per element. */
function record(node: ScaleRowsNode, gpu: GpuContext): void {
  const [x, factor] = node.inputs.map((value) => gpu.matrix(value));
  const y = gpu.matrix(node.outputs[0]);
  const workgroup = gpu.kernels.workgroup();
  const constants = { WORKGROUP: workgroup, ACTIVATION: activationIndex(node.activation) };
  gpu.recorder.dispatch(gpu.kernels.get("scale_rows", { constants }), {
    workgroups: elementGrid(y.width, workgroup, y.rows),
    push: {
      x: x.span,
      factor: factor.span,
      y: y.span,
      width: y.width,
      xStride: x.stride,
      factorStride: factor.stride,
      yStride: y.stride,
    },
    reads: spansOf(x, factor),
    writes: spansOf(y),
  });
}

/** `scale_rows`. */
export const scaleRows: Operation<ScaleRowsNode> = {
  op: "scale_rows",
  reference: scaleRowsReference,
  record,
};
