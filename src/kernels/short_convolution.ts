/**
 * Causal convolution of every channel with a short kernel of its own, over time: the local mixing in front of
 * recurrent layers (Mamba, https://arxiv.org/abs/2312.00752, figure 3) and the whole of LFM2's convolution blocks
 * (https://arxiv.org/abs/2511.23404), which multiply its input and its output by gates.
 *
 * The state is a ring of the last inputs of each channel, `[kernel, channels]`: the input at position p lies in row `p mod kernel`.
 * One row more than a window needs, so that a kernel for one token may write its own while others still read the rest.
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
import { activate, type Activation, activationIndex } from "./activations.ts";
import { rowOf } from "./matrix.ts";
import { parameters, spansOf } from "./recording.ts";

/** `y[t, c] = after[t, c] * activation(bias[c] + sum over j of W[c, j] u[t - kernel + 1 + j, c])` with `u = before * x`. */
export interface ShortConvolutionNode extends NodeBase {
  readonly op: "short_convolution";
  /** x `[rows, channels]`; gated: also before `[rows, channels]` and after `[rows, channels]`. */
  readonly inputs: readonly [Value] | readonly [Value, Value, Value];
  /** `[rows, channels]` */
  readonly outputs: readonly [Value];
  /** `[channels, kernel]`; the last column meets the present token. */
  readonly weight: Weight;
  /** `[channels]` */
  readonly bias?: Weight;
  readonly activation: Activation;
  /** `kernel * channels` elements. */
  readonly state: StateSlot;
}

/** Reference: the inputs go into the ring one by one, and each window comes out of it. */
export function shortConvolutionReference(node: ShortConvolutionNode, context: ReferenceContext): void {
  const [x, before, after] = node.inputs.map((value) => context.matrix(value));
  const y = context.matrix(node.outputs[0]);
  const weight = context.weight(node.weight);
  const bias = node.bias && context.weight(node.bias);
  const state = context.state(node.state);
  const kernel = node.weight.columns;
  const channels = x.width;
  for (let r = 0; r < x.rows; r++) {
    const position = context.batch.position + r;
    const ring = (earlier: number, c: number) => ringRow(position - earlier, kernel) * channels + c;
    for (let c = 0; c < channels; c++) {
      state[ring(0, c)] = rowOf(x, r)[c] * (before ? rowOf(before, r)[c] : 1);
      let sum = bias ? bias[c] : 0;
      for (let j = 0; j < kernel; j++) sum += weight[c * kernel + j] * state[ring(kernel - 1 - j, c)];
      rowOf(y, r)[c] = activate(node.activation, sum) * (after ? rowOf(after, r)[c] : 1);
    }
  }
}

/** Row of the ring that holds a position, which may lie before the first one. */
function ringRow(position: number, kernel: number): number {
  return (position + kernel) % kernel;
}

/** Rows that one lane takes: enough to make up for reading the window before them again. */
const RUN = 16;

/** GPU: a lane per channel and run of rows. */
function record(node: ShortConvolutionNode, gpu: GpuContext): void {
  const [x, before, after] = node.inputs.map((value) => gpu.matrix(value));
  const y = gpu.matrix(node.outputs[0]);
  const state = gpu.state(node.state).span;
  const workgroup = gpu.kernels.workgroup();
  const constants = {
    WORKGROUP: workgroup,
    KERNEL: node.weight.columns,
    RUN,
    ACTIVATION: activationIndex(node.activation),
  };
  gpu.recorder.dispatch(gpu.kernels.get("short_convolution", { constants }), {
    workgroups: [Math.ceil(x.width / workgroup), Math.ceil(x.rows / RUN), 1],
    push: {
      step: gpu.step,
      x: x.span,
      before: before?.span ?? 0,
      after: after?.span ?? 0,
      y: y.span,
      weight: parameters(gpu, node.weight),
      bias: parameters(gpu, node.bias),
      state,
      channels: x.width,
      xStride: x.stride,
      beforeStride: before?.stride ?? 0,
      afterStride: after?.stride ?? 0,
      yStride: y.stride,
    },
    reads: [gpu.step, state, ...spansOf(x, before, after)],
    writes: [state, ...spansOf(y)],
  });
}

/** `short_convolution`. */
export const shortConvolution: Operation<ShortConvolutionNode> = {
  op: "short_convolution",
  reference: shortConvolutionReference,
  record,
};
