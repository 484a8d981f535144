/** Sum of two activations: residual connections and the joining of parallel blocks. */
import type { NodeBase, ReferenceContext, Value } from "./operation.ts";
import { rowOf } from "./matrix.ts";

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
