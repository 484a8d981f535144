/**
 * The time mixing of RWKV-7 (Peng et al. 2025, https://arxiv.org/abs/2503.14456, equations 4 to 20): a generalised
 * delta rule with a decay per channel, a learning rate per channel, and separate keys for removing and adding.
 *
 * The state is `[heads, values, keys]`, both `headDim`: the transpose of S, a matrix per head that maps a key to the value it recalls.
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
import { dot, rowOf } from "./matrix.ts";
import { assert } from "../common/assert.ts";
import { parameters, spansOf } from "./recording.ts";
import { recurrentTeams } from "./teams.ts";

/** The slowest decay of one step is `exp(-exp(-1/2))`: equation 11. */
const DECAY_RATE = Math.exp(-0.5);
/** Floor of the length that removal keys are divided by. */
const LENGTH_FLOOR = 1e-12;
/** The published models' group norm epsilon is 1e-5 times the square of 8: `head_size_divisor`. */
const GROUP_NORM_EPSILON = 64e-5;

/**
 * Per token and head: `w = exp(-exp(-1/2) sigmoid(decay))`, `removal = k * removalScale` scaled to length one,
 * `key = k * (1 + (a - 1) * learningScale)`, `S = diag(w) S - (removal * a) (removal^T S) + key v^T`, and
 * `y = (groupNorm(r^T S) + (sum of r * key * bonus) v) * gate`.
 */
export interface Wkv7Node extends NodeBase {
  readonly op: "wkv7";
  /** All `[rows, width]`: receptance r, decay (before its sigmoid), key k, value v, learning rate a (after its sigmoid), gate. */
  readonly inputs: readonly [r: Value, decay: Value, k: Value, v: Value, a: Value, gate: Value];
  /** `[rows, width]` */
  readonly outputs: readonly [Value];
  readonly headDim: number;
  /** `[width]` */
  readonly removalScale: Weight;
  /** `[width]` */
  readonly learningScale: Weight;
  /** `[width]` */
  readonly bonus: Weight;
  /** `[width]` */
  readonly normWeight: Weight;
  /** `[width]` */
  readonly normBias: Weight;
  /** `width * headDim` elements. */
  readonly state: StateSlot;
}

/** Reference: token by token, head by head. */
export function wkv7Reference(node: Wkv7Node, context: ReferenceContext): void {
  const inputs = node.inputs.map((value) => context.matrix(value));
  const y = context.matrix(node.outputs[0]);
  const parameters = [node.removalScale, node.learningScale, node.bonus, node.normWeight, node.normBias]
    .map((weight) => context.weight(weight));
  const { headDim } = node;
  for (let row = 0; row < y.rows; row++) {
    for (let start = 0; start < y.width; start += headDim) {
      const head = (values: Float32Array) => values.subarray(start, start + headDim);
      const [r, decay, k, v, a, gate] = inputs.map((matrix) => head(rowOf(matrix, row)));
      const [removalScale, learningScale, bonus, normWeight, normBias] = parameters.map(head);
      const removal = scaledToLengthOne(k.map((value, i) => value * removalScale[i]));
      const key = k.map((value, i) => value * (1 + (a[i] - 1) * learningScale[i]));
      const state = context.state(node.state).subarray(start * headDim, (start + headDim) * headDim);
      const output = head(rowOf(y, row));
      for (let j = 0; j < headDim; j++) {
        let recalled = 0;
        for (let i = 0; i < headDim; i++) recalled += removal[i] * state[j * headDim + i];
        let answer = 0;
        for (let i = 0; i < headDim; i++) {
          const kept = Math.exp(-DECAY_RATE * activate("sigmoid", decay[i])) * state[j * headDim + i];
          state[j * headDim + i] = kept - removal[i] * a[i] * recalled + key[i] * v[j];
          answer += r[i] * state[j * headDim + i];
        }
        output[j] = answer;
      }
      let extra = 0;
      for (let i = 0; i < headDim; i++) extra += r[i] * key[i] * bonus[i];
      const normed = layerNormed(output);
      normed.forEach((value, j) =>
        output[j] = (value * normWeight[j] + normBias[j] + extra * v[j]) * gate[j]
      );
    }
  }
}

function scaledToLengthOne(x: Float32Array): Float32Array {
  const length = Math.max(Math.sqrt(dot(x, x)), LENGTH_FLOOR);
  return x.map((value) => value / length);
}

function layerNormed(x: Float32Array): Float32Array {
  const mean = x.reduce((sum, value) => sum + value, 0) / x.length;
  const variance = x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.length;
  return x.map((value) => (value - mean) / Math.sqrt(variance + GROUP_NORM_EPSILON));
}

/** GPU: a workgroup per head, a team of lanes per value element. */
function record(node: Wkv7Node, gpu: GpuContext): void {
  const inputs = node.inputs.map((value) => gpu.matrix(value));
  const [r, decay, k, v, a, gate] = inputs;
  const y = gpu.matrix(node.outputs[0]);
  assert(
    [...inputs, y].every(({ stride }) => stride === y.width),
    `${node.outputs[0].name}: rows are not packed`,
  );
  const state = gpu.state(node.state).span;
  const { workgroup, team } = recurrentTeams(gpu.kernels, node.headDim, node.headDim);
  const constants = { WORKGROUP: workgroup, TEAM: team, HEAD_DIM: node.headDim };
  gpu.recorder.dispatch(gpu.kernels.get("wkv7", { constants }), {
    workgroups: [y.width / node.headDim, 1, 1],
    push: {
      step: gpu.step,
      r: r.span,
      decay: decay.span,
      k: k.span,
      v: v.span,
      a: a.span,
      gate: gate.span,
      y: y.span,
      removalScale: parameters(gpu, node.removalScale),
      learningScale: parameters(gpu, node.learningScale),
      bonus: parameters(gpu, node.bonus),
      normWeight: parameters(gpu, node.normWeight),
      normBias: parameters(gpu, node.normBias),
      state,
      width: y.width,
    },
    reads: [gpu.step, state, ...spansOf(...inputs)],
    writes: [state, ...spansOf(y)],
  });
}

/** `wkv7`. */
export const wkv7: Operation<Wkv7Node> = { op: "wkv7", reference: wkv7Reference, record };
