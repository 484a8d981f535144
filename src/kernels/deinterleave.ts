/** Separates two parts that lie side by side in every head, such as the query and the output gate of Qwen3-Next's attention. */
import type { GpuContext, NodeBase, Operation, ReferenceContext, Value } from "./operation.ts";
import { rowOf } from "./matrix.ts";
import { elementGrid, spansOf } from "./recording.ts";

/** `first[t, h] = x[t, h][0, firstWidth)`, `second[t, h] = x[t, h][firstWidth, ...)`. */
export interface DeinterleaveNode extends NodeBase {
  readonly op: "deinterleave";
  /** `[rows, heads * (firstWidth + secondWidth)]` */
  readonly inputs: readonly [Value];
  /** `[rows, heads * firstWidth]`, `[rows, heads * secondWidth]` */
  readonly outputs: readonly [Value, Value];
  readonly heads: number;
}

/** Reference: two copies per head. */
export function deinterleaveReference(node: DeinterleaveNode, context: ReferenceContext): void {
  const x = context.matrix(node.inputs[0]);
  const [first, second] = node.outputs.map((value) => context.matrix(value));
  const a = first.width / node.heads;
  const b = second.width / node.heads;
  for (let r = 0; r < x.rows; r++) {
    for (let head = 0; head < node.heads; head++) {
      const start = head * (a + b);
      rowOf(first, r).set(rowOf(x, r).subarray(start, start + a), head * a);
      rowOf(second, r).set(rowOf(x, r).subarray(start + a, start + a + b), head * b);
    }
  }
}

/** GPU: one lane per element. */
function record(node: DeinterleaveNode, gpu: GpuContext): void {
  const x = gpu.matrix(node.inputs[0]);
  const [first, second] = node.outputs.map((value) => gpu.matrix(value));
  const workgroup = gpu.kernels.workgroup();
  gpu.recorder.dispatch(gpu.kernels.get("deinterleave", { constants: { WORKGROUP: workgroup } }), {
    workgroups: elementGrid(x.width, workgroup, x.rows),
    push: {
      x: x.span,
      first: first.span,
      second: second.span,
      width: x.width,
      firstDim: first.width / node.heads,
      secondDim: second.width / node.heads,
      xStride: x.stride,
      firstStride: first.stride,
      secondStride: second.stride,
    },
    reads: spansOf(x),
    writes: spansOf(first, second),
  });
}

/** `deinterleave`. */
export const deinterleave: Operation<DeinterleaveNode> = {
  op: "deinterleave",
  reference: deinterleaveReference,
  record,
};
