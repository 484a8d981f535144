/**
 * Scaled dot-product attention over the KV cache (Vaswani et al. 2017, https://arxiv.org/abs/1706.03762) with the
 * variants that decoders use: grouped heads (https://arxiv.org/abs/2305.13245), sliding windows, soft caps, ALiBi
 * (https://arxiv.org/abs/2108.12409) and attention sinks (a logit per head that joins the softmax but has no value).
 */
import { planAttention } from "./attention_plan.ts";
import { dot, rowOf } from "./matrix.ts";
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
import { parameters, spansOf } from "./recording.ts";

/** `y[t, h] = softmax(mask(cap(scale * q[t, h] . K[h']) + bias)) V[h']` with `h' = floor(h * kvHeads / heads)`. */
export interface AttentionNode extends NodeBase {
  readonly op: "attention";
  /** q `[rows, heads * headDim]` */
  readonly inputs: readonly [Value];
  /** `[rows, heads * valueDim]` */
  readonly outputs: readonly [Value];
  /** `[position, kvHeads * headDim]`; the batch's own keys are stored already. */
  readonly keys: StateSlot;
  /** `[position, kvHeads * valueDim]` */
  readonly values: StateSlot;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly valueDim: number;
  readonly scale: number;
  /** A token sees only the last `window` positions, itself included; 0: all. */
  readonly window: number;
  /** Chunked attention: a token sees only positions of its own chunk of `chunk` positions; 0: off. */
  readonly chunk: number;
  /** False for encoders: every token of the batch sees every other (both sides of the window). */
  readonly causal: boolean;
  /** `cap * tanh(score / cap)`; 0: off. */
  readonly softcap: number;
  /** `[heads]`: added is `-slope * distance`. */
  readonly alibiSlopes?: Weight;
  /** `[heads]`: one more logit in each head's softmax. */
  readonly sinks?: Weight;
  /** `[heads, 2 * reach + 1]`: added is entry `reach + clamp(key position - query position, -reach, reach)` (T5). */
  readonly relativeBias?: Weight;
  /** Scores grow with the position of the query. */
  readonly temperature?: AttentionTemperature;
  /** Cross attention: the keys are the encoder's `batch.encoderLength` rows, all of them visible to every token. */
  readonly encoder?: boolean;
}

/** Factor on the scores of a query: `1 + scale * ln(1 + floor((position + offset) / interval))` (Llama 4, Ministral 3). */
export interface AttentionTemperature {
  readonly scale: number;
  readonly interval: number;
  readonly offset: number;
}

/** Reference: for every token and head, all scores, then the weighted sum. A row with nothing to see gives zeros. */
export function attentionReference(node: AttentionNode, context: ReferenceContext): void {
  const q = context.matrix(node.inputs[0]);
  const y = context.matrix(node.outputs[0]);
  const slopes = node.alibiSlopes && context.weight(node.alibiSlopes);
  const sinks = node.sinks && context.weight(node.sinks);
  const bias = node.relativeBias && relativeBiasOf(node.relativeBias, context);
  for (let r = 0; r < q.rows; r++) {
    const position = context.batch.position + r;
    const { first, end } = node.encoder
      ? { first: 0, end: context.batch.encoderLength ?? 0 }
      : visible(node, position, context.batch.position + q.rows);
    for (let head = 0; head < node.heads; head++) {
      const scores = scoresOf(node, context, q, r, head, first, end);
      if (slopes) scores.forEach((_, i) => scores[i] -= slopes[head] * Math.abs(position - first - i));
      if (bias) scores.forEach((_, i) => scores[i] += bias(head, first + i - position));
      softmaxInPlace(scores, sinks?.[head]);
      weightedSum(node, context, scores, head, first, headRow(y, r, head, node.valueDim));
    }
  }
}

/** Cached positions `[first, end)` that the token at `position` sees. */
export function visible(
  node: AttentionNode,
  position: number,
  batchEnd: number,
): { first: number; end: number } {
  if (node.causal) {
    let first = node.window > 0 ? Math.max(0, position - node.window + 1) : 0;
    if (node.chunk > 0) first = Math.max(first, position - position % node.chunk);
    return { first, end: position + 1 };
  }
  // Encoders with a symmetric window see half of it on each side.
  const reach = node.window > 0 ? Math.floor(node.window / 2) : batchEnd;
  return { first: Math.max(0, position - reach), end: Math.min(batchEnd, position + reach + 1) };
}

function scoresOf(
  node: AttentionNode,
  context: ReferenceContext,
  q: Matrix,
  r: number,
  head: number,
  first: number,
  end: number,
): Float32Array {
  const keys = context.state(node.keys);
  const query = headRow(q, r, head, node.headDim);
  const kvHead = Math.floor(head * node.kvHeads / node.heads);
  const scores = new Float32Array(end - first);
  const scale = node.scale * temperatureAt(node.temperature, context.batch.position + r);
  for (let i = 0; i < scores.length; i++) {
    const start = (first + i) * node.keys.width + kvHead * node.headDim;
    const score = scale * dot(query, keys.subarray(start, start + node.headDim));
    scores[i] = node.softcap > 0 ? node.softcap * Math.tanh(score / node.softcap) : score;
  }
  return scores;
}

function temperatureAt(temperature: AttentionTemperature | undefined, position: number): number {
  if (!temperature) return 1;
  const { scale, interval, offset } = temperature;
  return 1 + scale * Math.log(1 + Math.floor((position + offset) / interval));
}

/** Bias of a head at a distance `key position - query position`. */
function relativeBiasOf(
  table: Weight,
  context: ReferenceContext,
): (head: number, distance: number) => number {
  const values = context.weight(table);
  const reach = (table.columns - 1) / 2;
  return (head, distance) =>
    values[head * table.columns + reach + Math.max(-reach, Math.min(reach, distance))];
}

/** Softmax over the scores and, if given, one sink logit that takes part in the sum only. */
function softmaxInPlace(scores: Float32Array, sink?: number): void {
  let max = sink ?? -Infinity;
  for (const score of scores) max = Math.max(max, score);
  let sum = sink === undefined ? 0 : Math.exp(sink - max);
  for (let i = 0; i < scores.length; i++) sum += scores[i] = Math.exp(scores[i] - max);
  for (let i = 0; i < scores.length; i++) scores[i] = sum > 0 ? scores[i] / sum : 0;
}

function weightedSum(
  node: AttentionNode,
  context: ReferenceContext,
  weights: Float32Array,
  head: number,
  first: number,
  into: Float32Array,
): void {
  const values = context.state(node.values);
  const kvHead = Math.floor(head * node.kvHeads / node.heads);
  into.fill(0);
  for (let i = 0; i < weights.length; i++) {
    const start = (first + i) * node.values.width + kvHead * node.valueDim;
    for (let d = 0; d < into.length; d++) into[d] += weights[i] * values[start + d];
  }
}

function headRow(matrix: Matrix, r: number, head: number, width: number): Float32Array {
  return rowOf(matrix, r).subarray(head * width, (head + 1) * width);
}

/** GPU: one dispatch; where the positions are split over workgroups, the last of them joins the parts. */
function record(node: AttentionNode, gpu: GpuContext): void {
  const q = gpu.matrix(node.inputs[0]);
  const y = gpu.matrix(node.outputs[0]);
  const keys = gpu.state(node.keys);
  const values = gpu.state(node.values);
  const plan = planAttention(gpu, node, q.rows, { keys: keys.type, values: values.type });
  const partBytes = q.rows * node.heads * (node.valueDim + 2) * 4;
  const split = plan.parts > 1
    ? {
      parts: gpu.scratch(plan.parts * partBytes),
      tickets: gpu.tickets(plan.workgroups[0] * plan.workgroups[1]),
    }
    : undefined;
  gpu.recorder.dispatch(
    gpu.kernels.get(plan.kernel, { constants: plan.constants }),
    {
      workgroups: plan.workgroups,
      push: {
        step: gpu.step,
        q: q.span,
        y: y.span,
        parts: split?.parts ?? 0,
        tickets: split?.tickets ?? 0,
        keys: keys.span,
        values: values.span,
        slopes: parameters(gpu, node.alibiSlopes),
        sinks: parameters(gpu, node.sinks),
        bias: parameters(gpu, node.relativeBias),
        tokens: q.rows,
        heads: node.heads,
        qStride: q.stride,
        yStride: y.stride,
        window: node.window,
        chunk: node.chunk,
        biasColumns: node.relativeBias?.columns ?? 0,
        scale: node.scale,
        softcap: node.softcap,
        temperatureScale: node.temperature?.scale ?? 0,
        temperatureInterval: node.temperature?.interval ?? 1,
        temperatureOffset: node.temperature?.offset ?? 0,
      },
      reads: [gpu.step, ...spansOf(q), keys.span, values.span],
      writes: [y.span, ...(split ? [split.parts, split.tickets] : [])],
    },
  );
}

/** `attention`. */
export const attention: Operation<AttentionNode> = { op: "attention", reference: attentionReference, record };
