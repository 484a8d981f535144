/**
 * The selective state space of Mamba (Gu & Dao 2023, https://arxiv.org/abs/2312.00752, equations 2a and 4, algorithm 2):
 * every channel carries `stateSize` numbers that decay at rates of their own, at a pace the token sets.
 *
 * The state is `[channels, stateSize]`.
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
import { recordScan } from "./scan.ts";

/**
 * Per token and channel c, with `d = softplus(dt[c])`: `h[n] = exp(d A[c, n]) h[n] + d B[n] x[c]` and
 * `y[c] = (sum over n of C[n] h[n] + D[c] x[c]) * silu(gate[c])`.
 */
export interface SelectiveScanNode extends NodeBase {
  readonly op: "selective_scan";
  /** x, dt, gate `[rows, channels]`; B, C `[rows, stateSize]` */
  readonly inputs: readonly [x: Value, dt: Value, b: Value, c: Value, gate: Value];
  /** `[rows, channels]` */
  readonly outputs: readonly [Value];
  /** `[channels, stateSize]`, negative. */
  readonly decay: Weight;
  /** D: `[channels]` */
  readonly skip: Weight;
  /** `channels * stateSize` elements. */
  readonly state: StateSlot;
}

/** Reference: token by token. */
export function selectiveScanReference(node: SelectiveScanNode, context: ReferenceContext): void {
  const [x, dt, b, c, gate] = node.inputs.map((value) => context.matrix(value));
  const y = context.matrix(node.outputs[0]);
  const decay = context.weight(node.decay);
  const skip = context.weight(node.skip);
  const state = context.state(node.state);
  const stateSize = node.decay.columns;
  const channels = x.width;
  for (let r = 0; r < x.rows; r++) {
    for (let channel = 0; channel < channels; channel++) {
      const input = rowOf(x, r)[channel];
      const step = activate("softplus", rowOf(dt, r)[channel]);
      let sum = skip[channel] * input;
      for (let n = 0; n < stateSize; n++) {
        const at = channel * stateSize + n;
        state[at] = Math.exp(step * decay[channel * stateSize + n]) * state[at] +
          step * rowOf(b, r)[n] * input;
        sum += rowOf(c, r)[n] * state[at];
      }
      rowOf(y, r)[channel] = sum * activate("silu", rowOf(gate, r)[channel]);
    }
  }
}

/** GPU: the scan that Mamba-2 uses too, with channels in place of heads. */
function record(node: SelectiveScanNode, gpu: GpuContext): void {
  const [x, dt, b, c, gate] = node.inputs.map((value) => gpu.matrix(value));
  const y = gpu.matrix(node.outputs[0]);
  recordScan(gpu, {
    operands: { x, b, c, dt, gate, y },
    decay: parameters(gpu, node.decay),
    dtBias: 0,
    skip: parameters(gpu, node.skip),
    state: gpu.state(node.state).span,
    stateSize: node.decay.columns,
    decayPerElement: true,
    headDim: 1,
    groupDim: x.width,
  });
}

/** `selective_scan`. */
export const selectiveScan: Operation<SelectiveScanNode> = {
  op: "selective_scan",
  reference: selectiveScanReference,
  record,
};
