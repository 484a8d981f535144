/** Sum of two activations: residual connections and the joining of parallel blocks. */
import type { GpuContext, NodeBase, Operation, ReferenceContext, Value } from "./operation.ts";
import { rowOf } from "./matrix.ts";
import { elementGrid, spansOf } from "./recording.ts";

/** `y = a + scale * b`. */
export interface AddNode extends NodeBase {
  readonly op: "add";
  /** a `[rows, width]`, b `[rows, width]` */
  readonly inputs: readonly [Value, Value];
  /** `[rows, width]` */
  readonly outputs: readonly [Value];
  readonly scale: number;
}

/** Reference: element by element. */
export function addReference(node: AddNode, context: ReferenceContext): void {
  const a = context.matrix(node.inputs[0]);
  const b = context.matrix(node.inputs[1]);
  const y = context.matrix(node.outputs[0]);
  for (let r = 0; r < y.rows; r++) {
    const left = rowOf(a, r);
    const right = rowOf(b, r);
    const into = rowOf(y, r);
    for (let i = 0; i < into.length; i++) into[i] = left[i] + node.scale * right[i];
  }
}

/** GPU: one lane per element. */
function record(node: AddNode, gpu: GpuContext): void {
  const [a, b] = node.inputs.map((value) => gpu.matrix(value));
  const y = gpu.matrix(node.outputs[0]);
  const workgroup = gpu.kernels.workgroup();
  gpu.recorder.dispatch(gpu.kernels.get("add", { constants: { WORKGROUP: workgroup } }), {
    workgroups: elementGrid(y.width, workgroup, y.rows),
    push: {
      a: a.span,
      b: b.span,
      y: y.span,
      width: y.width,
      aStride: a.stride,
      bStride: b.stride,
      yStride: y.stride,
      scale: node.scale,
    },
    reads: spansOf(a, b),
    writes: spansOf(y),
  });
}

/** `add`. */
export const add: Operation<AddNode> = { op: "add", reference: addReference, record };
