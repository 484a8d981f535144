/** Element-wise interpolation between two activations, by a third: RWKV-7's value residual. */
import type { GpuContext, NodeBase, Operation, ReferenceContext, Value } from "./operation.ts";
import { rowOf } from "./matrix.ts";
import { elementGrid, spansOf } from "./recording.ts";

/** `y = a + t * (b - a)`. */
export interface BlendNode extends NodeBase {
  readonly op: "blend";
  /** a, b, t, all `[rows, width]` */
  readonly inputs: readonly [a: Value, b: Value, t: Value];
  /** `[rows, width]` */
  readonly outputs: readonly [Value];
}

/** Reference: element by element. */
export function blendReference(node: BlendNode, context: ReferenceContext): void {
  const [a, b, t] = node.inputs.map((value) => context.matrix(value));
  const y = context.matrix(node.outputs[0]);
  for (let r = 0; r < y.rows; r++) {
    const into = rowOf(y, r);
    for (let i = 0; i < into.length; i++) {
      into[i] = rowOf(a, r)[i] + rowOf(t, r)[i] * (rowOf(b, r)[i] - rowOf(a, r)[i]);
    }
  }
}

/** GPU: one lane per element. */
function record(node: BlendNode, gpu: GpuContext): void {
  const [a, b, t] = node.inputs.map((value) => gpu.matrix(value));
  const y = gpu.matrix(node.outputs[0]);
  const workgroup = gpu.kernels.workgroup();
  gpu.recorder.dispatch(gpu.kernels.get("blend", { constants: { WORKGROUP: workgroup } }), {
    workgroups: elementGrid(y.width, workgroup, y.rows),
    push: {
      a: a.span,
      b: b.span,
      t: t.span,
      y: y.span,
      width: y.width,
      aStride: a.stride,
      bStride: b.stride,
      tStride: t.stride,
      yStride: y.stride,
    },
    reads: spansOf(a, b, t),
    writes: spansOf(y),
  });
}

/** `blend`. */
export const blend: Operation<BlendNode> = { op: "blend", reference: blendReference, record };
