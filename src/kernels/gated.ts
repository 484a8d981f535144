/** The element-wise middle of a gated feed-forward block (GLU variants: Shazeer 2020, https://arxiv.org/abs/2002.05202). */
import type { NodeBase, ReferenceContext, Value } from "./operation.ts";
import { activate, type Activation } from "./activations.ts";
import { rowOf } from "./matrix.ts";

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
