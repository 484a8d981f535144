/**
 * The gated delta net (Yang et al. 2024, https://arxiv.org/abs/2412.06464, equation 10) as Qwen3-Next and Qwen3.5 use
 * it: queries and keys are scaled to length one, the state of a value head decays and is corrected towards the new
 * value, and the result is normalised and gated.
 *
 * The state is `[valueHeads, valueDim, keyDim]`: the transpose of S, a matrix per value head that maps a key to the value it recalls.
 */
import type {
  GpuContext,
  Matrix,
  NodeBase,
  Operation,
  ReferenceContext,
  StateSlot,
  Value,
  Weight,
} from "./operation.ts";
import { assert } from "../common/assert.ts";
import { activate } from "./activations.ts";
import { dot, rowOf } from "./matrix.ts";
import { shortConvolutionReference } from "./short_convolution.ts";
import { parameters, spansOf } from "./recording.ts";
import { recurrentTeams } from "./teams.ts";

/** Added to the squared length of queries and keys. */
const LENGTH_EPSILON = 1e-6;

/** A short convolution of the queries, keys and values, with SiLU, as `short_convolution` defines it; for batches of one token. */
export interface DeltaNetConvolution {
  /** `[qkv width, kernel]` */
  readonly weight: Weight;
  /** `kernel * qkv width` elements. */
  readonly state: StateSlot;
}

/**
 * Per token and value head, with `k = key / |key|`, `q = query / |query| / sqrt(keyDim)`, `g = exp(A softplus(alpha + dtBias))`:
 * `S = g S`, `S = S + k (sigmoid(beta) (v - k^T S))^T`, `o = q^T S`, `y = rmsNorm(o) * normWeight * silu(gate)`.
 */
export interface DeltaNetNode extends NodeBase {
  readonly op: "delta_net";
  /**
   * qkv `[rows, 2 * keyHeads * keyDim + valueHeads * valueDim]`; alpha and beta, whose element for value head h is at
   * {@linkcode gateIndex}; gate `[rows, valueHeads * valueDim]`.
   */
  readonly inputs: readonly [qkv: Value, alpha: Value, beta: Value, gate: Value];
  /** `[rows, valueHeads * valueDim]` */
  readonly outputs: readonly [Value];
  readonly keyHeads: number;
  readonly valueHeads: number;
  readonly keyDim: number;
  /** `grouped`: neighbouring value heads share a key head, as in grouped-query attention. `tiled`: value head h uses key head `h mod keyHeads`. */
  readonly keyHeadOrder: "grouped" | "tiled";
  /** Value heads whose alpha (or beta) lie together; the other one's follow, so groups are `2 * gateGroup` apart. `valueHeads`: not mixed. */
  readonly gateGroup: number;
  /** A: `[valueHeads]`, negative. */
  readonly decay: Weight;
  /** `[valueHeads]` */
  readonly dtBias: Weight;
  /** `[valueDim]` */
  readonly normWeight: Weight;
  readonly epsilon: number;
  /** Applied to qkv first. */
  readonly convolution?: DeltaNetConvolution;
  /** `valueHeads * valueDim * keyDim` elements. */
  readonly state: StateSlot;
}

/** Where alpha and beta of a value head lie in their inputs. */
function gateIndex(head: number, gateGroup: number): number {
  return Math.floor(head / gateGroup) * 2 * gateGroup + head % gateGroup;
}

/** The key head that a value head uses. */
function keyHeadOf(
  head: number,
  node: Pick<DeltaNetNode, "keyHeads" | "valueHeads" | "keyHeadOrder">,
): number {
  return node.keyHeadOrder === "tiled"
    ? head % node.keyHeads
    : Math.floor(head * node.keyHeads / node.valueHeads);
}

/** Reference: token by token, head by head. */
export function deltaNetReference(node: DeltaNetNode, context: ReferenceContext): void {
  const [raw, alpha, beta, gate] = node.inputs.map((value) => context.matrix(value));
  const qkv = node.convolution ? convolved(node.inputs[0], node.convolution, context) : raw;
  const y = context.matrix(node.outputs[0]);
  const [decay, dtBias, normWeight] = [node.decay, node.dtBias, node.normWeight].map((w) =>
    context.weight(w)
  );
  const { keyHeads, valueHeads, keyDim } = node;
  const valueDim = y.width / valueHeads;
  for (let r = 0; r < qkv.rows; r++) {
    for (let head = 0; head < valueHeads; head++) {
      const part = (start: number, width: number) => rowOf(qkv, r).subarray(start, start + width);
      const keyHead = keyHeadOf(head, node);
      const q = scaledToLength(part(keyHead * keyDim, keyDim), 1 / Math.sqrt(keyDim));
      const k = scaledToLength(part((keyHeads + keyHead) * keyDim, keyDim), 1);
      const v = part(2 * keyHeads * keyDim + head * valueDim, valueDim);
      const at = gateIndex(head, node.gateGroup);
      const kept = Math.exp(decay[head] * activate("softplus", rowOf(alpha, r)[at] + dtBias[head]));
      const strength = activate("sigmoid", rowOf(beta, r)[at]);
      const state = context.state(node.state).subarray(
        head * keyDim * valueDim,
        (head + 1) * keyDim * valueDim,
      );
      const output = rowOf(y, r).subarray(head * valueDim, (head + 1) * valueDim);
      for (let j = 0; j < valueDim; j++) output[j] = recall(state, j, { q, k, v: v[j], kept, strength });
      const factor = 1 / Math.sqrt(dot(output, output) / valueDim + node.epsilon);
      const gates = rowOf(gate, r).subarray(head * valueDim, (head + 1) * valueDim);
      output.forEach((o, j) => output[j] = o * factor * normWeight[j] * activate("silu", gates[j]));
    }
  }
}

function convolved(qkv: Value, { weight, state }: DeltaNetConvolution, context: ReferenceContext): Matrix {
  const { rows, width } = qkv;
  const result = { data: new Float32Array(rows * width), rows, width, offset: 0, stride: width };
  const output = { ...qkv };
  const inner = { ...context, matrix: (value: Value) => value === output ? result : context.matrix(value) };
  shortConvolutionReference(
    { op: "short_convolution", inputs: [qkv], outputs: [output], weight, activation: "silu", state },
    inner,
  );
  return result;
}

/** Decays and corrects row `j` of the state, column j of S, and returns its answer to the query. */
function recall(
  state: Float32Array,
  j: number,
  { q, k, v, kept, strength }: {
    q: Float32Array;
    k: Float32Array;
    v: number;
    kept: number;
    strength: number;
  },
): number {
  const row = state.subarray(j * k.length, (j + 1) * k.length);
  let known = 0;
  for (let i = 0; i < k.length; i++) {
    row[i] *= kept;
    known += k[i] * row[i];
  }
  const correction = strength * (v - known);
  let answer = 0;
  for (let i = 0; i < k.length; i++) {
    row[i] += k[i] * correction;
    answer += q[i] * row[i];
  }
  return answer;
}

function scaledToLength(x: Float32Array, length: number): Float32Array {
  const factor = length / Math.sqrt(dot(x, x) + LENGTH_EPSILON);
  return x.map((value) => value * factor);
}

/** GPU: a workgroup per value head, a team of lanes per value element. */
function record(node: DeltaNetNode, gpu: GpuContext): void {
  const [qkv, alpha, beta, gate] = node.inputs.map((value) => gpu.matrix(value));
  const y = gpu.matrix(node.outputs[0]);
  const state = gpu.state(node.state).span;
  const { keyHeads, valueHeads, keyDim } = node;
  const valueDim = y.width / valueHeads;
  const { workgroup, team } = recurrentTeams(gpu.kernels, keyDim, valueDim);
  const { convolution } = node;
  assert(!convolution || qkv.rows === 1, "a delta net convolves one token at a time");
  const ring = convolution && gpu.state(convolution.state).span;
  const constants = {
    WORKGROUP: workgroup,
    TEAM: team,
    KEY_HEADS: keyHeads,
    VALUE_HEADS: valueHeads,
    KEY_DIM: keyDim,
    VALUE_DIM: valueDim,
    TILED: node.keyHeadOrder === "tiled",
    GATE_GROUP: node.gateGroup,
    TAPS: convolution?.weight.columns ?? 0,
  };
  gpu.recorder.dispatch(gpu.kernels.get("delta_net", { constants }), {
    workgroups: [valueHeads, 1, 1],
    push: {
      step: gpu.step,
      qkv: qkv.span,
      alpha: alpha.span,
      beta: beta.span,
      gate: gate.span,
      y: y.span,
      decay: parameters(gpu, node.decay),
      dtBias: parameters(gpu, node.dtBias),
      normWeight: parameters(gpu, node.normWeight),
      state,
      taps: parameters(gpu, convolution?.weight),
      ring: ring ?? 0,
      qkvStride: qkv.stride,
      alphaStride: alpha.stride,
      betaStride: beta.stride,
      gateStride: gate.stride,
      yStride: y.stride,
      epsilon: node.epsilon,
    },
    reads: [gpu.step, state, ...(ring ? [ring] : []), ...spansOf(qkv, alpha, beta, gate)],
    writes: [state, ...(ring ? [ring] : []), ...spansOf(y)],
  });
}

/** `delta_net`. */
export const deltaNet: Operation<DeltaNetNode> = { op: "delta_net", reference: deltaNetReference, record };
