/**
 * The state space of Mamba-2 (Dao & Gu 2024, https://arxiv.org/abs/2405.21060, section 5): one decay per head, and
 * B and C shared by groups of heads, as keys and queries would be.
 *
 * The state is `[heads, stateSize, headDim]`.
 */
import type { NodeBase, ReferenceContext, StateSlot, Value, Weight } from "./operation.ts";
import { activate } from "./activations.ts";
import { rowOf } from "./matrix.ts";

/**
 * Per token, head h and element p, with `d = softplus(dt[h] + dtBias[h])`: `s[n, p] = exp(d A[h]) s[n, p] + d B[n] x[p]`
 * and `y[p] = (sum over n of C[n] s[n, p] + D[h] x[p]) * silu(gate[p])`.
 */
export interface StateSpaceScanNode extends NodeBase {
  readonly op: "state_space_scan";
  /** xBC `[rows, heads * headDim + 2 * groups * stateSize]`, dt `[rows, heads]`, gate `[rows, heads * headDim]` */
  readonly inputs: readonly [xbc: Value, dt: Value, gate: Value];
  /** `[rows, heads * headDim]` */
  readonly outputs: readonly [Value];
  /** A: `[heads]`, negative. */
  readonly decay: Weight;
  /** `[heads]` */
  readonly dtBias: Weight;
  /** D: `[heads]` */
  readonly skip: Weight;
  readonly heads: number;
  readonly groups: number;
  readonly stateSize: number;
  /** `heads * stateSize * headDim` elements. */
  readonly state: StateSlot;
}

/** Reference: token by token, head by head. */
export function stateSpaceScanReference(node: StateSpaceScanNode, context: ReferenceContext): void {
  const [xbc, dt, gate] = node.inputs.map((value) => context.matrix(value));
  const y = context.matrix(node.outputs[0]);
  const [decay, dtBias, skip] = [node.decay, node.dtBias, node.skip].map((weight) => context.weight(weight));
  const { heads, groups, stateSize } = node;
  const headDim = y.width / heads;
  for (let r = 0; r < xbc.rows; r++) {
    const row = rowOf(xbc, r);
    for (let head = 0; head < heads; head++) {
      const group = Math.floor(head * groups / heads);
      const x = row.subarray(head * headDim, (head + 1) * headDim);
      const b = row.subarray(y.width + group * stateSize, y.width + (group + 1) * stateSize);
      const c = row.subarray(
        y.width + (groups + group) * stateSize,
        y.width + (groups + group + 1) * stateSize,
      );
      const step = activate("softplus", rowOf(dt, r)[head] + dtBias[head]);
      const kept = Math.exp(step * decay[head]);
      const state = context.state(node.state).subarray(
        head * stateSize * headDim,
        (head + 1) * stateSize * headDim,
      );
      for (let p = 0; p < headDim; p++) {
        let sum = skip[head] * x[p];
        for (let n = 0; n < stateSize; n++) {
          state[n * headDim + p] = kept * state[n * headDim + p] + step * b[n] * x[p];
          sum += c[n] * state[n * headDim + p];
        }
        rowOf(y, r)[head * headDim + p] = sum * activate("silu", rowOf(gate, r)[head * headDim + p]);
      }
    }
  }
}
