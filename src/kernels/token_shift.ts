/**
 * RWKV's token shift: blends of each token with the one before it (RWKV-7, https://arxiv.org/abs/2503.14456,
 * equation 3), several at once with different coefficients. The state is the last token's input, `[width]`.
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
import { rowOf } from "./matrix.ts";
import { elementGrid, parameters, spansOf } from "./recording.ts";

/** `y[t, i] = x[t] + mix[i] * (x[t - 1] - x[t])` for each row i of `mix`. */
export interface TokenShiftNode extends NodeBase {
  readonly op: "token_shift";
  /** `[rows, width]` */
  readonly inputs: readonly [Value];
  /** `[rows, mixes * width]` */
  readonly outputs: readonly [Value];
  /** `[mixes, width]` */
  readonly mix: Weight;
  /** `width` elements. */
  readonly state: StateSlot;
}

/** Reference: blend by blend. */
export function tokenShiftReference(node: TokenShiftNode, context: ReferenceContext): void {
  const x = context.matrix(node.inputs[0]);
  const y = context.matrix(node.outputs[0]);
  const mix = context.weight(node.mix);
  const state = context.state(node.state);
  for (let r = 0; r < x.rows; r++) {
    const row = rowOf(x, r);
    const previous = r === 0 ? state : rowOf(x, r - 1);
    const into = rowOf(y, r);
    for (let i = 0; i < into.length; i++) {
      const c = i % x.width;
      into[i] = row[c] + mix[i] * (previous[c] - row[c]);
    }
  }
  state.set(rowOf(x, x.rows - 1));
}

/** GPU: a lane per element and row. */
function record(node: TokenShiftNode, gpu: GpuContext): void {
  const x = gpu.matrix(node.inputs[0]);
  const y = gpu.matrix(node.outputs[0]);
  const state = gpu.state(node.state).span;
  const workgroup = gpu.kernels.workgroup();
  gpu.recorder.dispatch(gpu.kernels.get("token_shift", { constants: { WORKGROUP: workgroup } }), {
    workgroups: elementGrid(x.width, workgroup, x.rows),
    push: {
      step: gpu.step,
      x: x.span,
      y: y.span,
      mix: parameters(gpu, node.mix),
      state,
      width: x.width,
      mixes: node.mix.rows,
      xStride: x.stride,
      yStride: y.stride,
    },
    reads: [gpu.step, state, ...spansOf(x)],
    writes: [state, ...spansOf(y)],
  });
}

/** `token_shift`. */
export const tokenShift: Operation<TokenShiftNode> = {
  op: "token_shift",
  reference: tokenShiftReference,
  record,
};
