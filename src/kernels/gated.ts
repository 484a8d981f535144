/** The element-wise middle of a gated feed-forward block (GLU variants: Shazeer 2020, https://arxiv.org/abs/2002.05202). */
import type { GpuContext, NodeBase, Operation, ReferenceContext, Value } from "./operation.ts";
import { activate, type Activation, activationIndex } from "./activations.ts";
import { rowOf } from "./matrix.ts";
import { elementGrid, spansOf } from "./recording.ts";

/** `y = activation(gate) * up`. */
export interface GatedNode extends NodeBase {
  readonly op: "gated";
  /** gate `[rows, width]`, up `[rows, width]` */
  readonly inputs: readonly [Value, Value];
  /** `[rows, width]` */
  readonly outputs: readonly [Value];
  readonly activation: Activation;
}

/** Reference: element by element. */
export function gatedReference(node: GatedNode, context: ReferenceContext): void {
  const gate = context.matrix(node.inputs[0]);
  const up = context.matrix(node.inputs[1]);
  const y = context.matrix(node.outputs[0]);
  for (let r = 0; r < y.rows; r++) {
    const a = rowOf(gate, r);
    const b = rowOf(up, r);
    const into = rowOf(y, r);
    for (let i = 0; i < into.length; i++) into[i] = activate(node.activation, a[i]) * b[i];
  }
}

/** GPU: one lane per element. */
function record(node: GatedNode, gpu: GpuContext): void {
  const [gate, up] = node.inputs.map((value) => gpu.matrix(value));
  const y = gpu.matrix(node.outputs[0]);
  const workgroup = gpu.kernels.workgroup();
  const constants = { WORKGROUP: workgroup, ACTIVATION: activationIndex(node.activation) };
  gpu.recorder.dispatch(gpu.kernels.get("gated", { constants }), {
    workgroups: elementGrid(y.width, workgroup, y.rows),
    push: {
      gate: gate.span,
      up: up.span,
      y: y.span,
      width: y.width,
      gateStride: gate.stride,
      upStride: up.stride,
      yStride: y.stride,
    },
    reads: spansOf(gate, up),
    writes: spansOf(y),
  });
}

/** `gated`. */
export const gated: Operation<GatedNode> = { op: "gated", reference: gatedReference, record };
