/**
 * The state space of Mamba-2 (Dao & Gu 2024, https://arxiv.org/abs/2405.21060, section 5): one decay per head, and
 * B and C shared by groups of heads, as keys and queries would be.
 *
 * The state is `[heads, headDim, stateSize]`.
 */
import type {
  GpuContext,
  NodeBase,
  Operation,
  ReferenceContext,
  StateSlot,
  Value,
  Weight,
} from "./operation.ts";
import { activate } from "./activations.ts";
import { rowOf } from "./matrix.ts";
import { parameters } from "./recording.ts";
import { columnsOf, recordScan } from "./scan.ts";

/**
 * Per token, head h and element p, with `d = softplus(dt[h] + dtBias[h])`: `s[p, n] = exp(d A[h]) s[p, n] + d B[n] x[p]`
 * and `y[p] = (sum over n of C[n] s[p, n] + D[h] x[p]) * silu(gate[p])`.
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
  /** `heads * headDim * stateSize` elements. */
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
          state[p * stateSize + n] = kept * state[p * stateSize + n] + step * b[n] * x[p];
          sum += c[n] * state[p * stateSize + n];
        }
        rowOf(y, r)[head * headDim + p] = sum * activate("silu", rowOf(gate, r)[head * headDim + p]);
      }
    }
  }
}

/** GPU: the scan that Mamba uses too; x, B and C are columns of the first input. */
function record(node: StateSpaceScanNode, gpu: GpuContext): void {
  const [xbc, dt, gate] = node.inputs.map((value) => gpu.matrix(value));
  const y = gpu.matrix(node.outputs[0]);
  const { heads, groups, stateSize } = node;
  const shared = groups * stateSize;
  recordScan(gpu, {
    operands: {
      x: columnsOf(xbc, 0, y.width),
      b: columnsOf(xbc, y.width, shared),
      c: columnsOf(xbc, y.width + shared, shared),
      dt,
      gate,
      y,
    },
    decay: parameters(gpu, node.decay),
    dtBias: parameters(gpu, node.dtBias),
    skip: parameters(gpu, node.skip),
    state: gpu.state(node.state).span,
    stateSize,
    decayPerElement: false,
    headDim: y.width / heads,
    groupDim: y.width / groups,
  });
}

/** `state_space_scan`. */
export const stateSpaceScan: Operation<StateSpaceScanNode> = {
  op: "state_space_scan",
  reference: stateSpaceScanReference,
  record,
};
