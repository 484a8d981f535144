/**
 * From the projections to what attention reads, in one pass: the per-head norm and the rotation of queries and keys, and
 * the way of keys and values into the cache. It is what a fusion makes of `norm`, `rope` and `store_kv`.
 */
import { assert } from "../common/assert.ts";
import { cacheBlock, cacheTypeNumber } from "./kv_cache.ts";
import { storeKvReference } from "./store_kv.ts";
import { normReference } from "./norm.ts";
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
import { type RopeNode, ropeReference } from "./rope.ts";
import { teamFor } from "./teams.ts";

/** Queries out, keys and values into their slots. Query and key heads have the same width and rotation. */
export interface AttentionInputsNode extends NodeBase {
  readonly op: "attention_inputs";
  /** q `[rows, heads * headDim]`, k `[rows, kvHeads * headDim]`, v `[rows, valueWidth]` */
  readonly inputs: readonly [Value, Value, Value];
  /** The queries that attention reads, `[rows, heads * headDim]`. */
  readonly outputs: readonly [Value];
  readonly keys: StateSlot;
  readonly values: StateSlot;
  readonly rope: Pick<
    RopeNode,
    "headDim" | "rotaryOffset" | "rotaryDim" | "pairing" | "frequencies" | "magnitude"
  >;
  /** RMS norm of each head, before the rotation. Weights `[headDim]`. */
  readonly norm?: { readonly query: Weight; readonly key: Weight; readonly epsilon: number };
}

/** Reference: the operations it stands for, one after the other. */
function reference(node: AttentionInputsNode, context: ReferenceContext): void {
  const [q, k, v] = node.inputs;
  const [y] = node.outputs;
  const scratch = new Map<Value, Matrix>();
  const temporary = (like: Value): Value => {
    const value = { ...like };
    const { rows, width } = like;
    scratch.set(value, { data: new Float32Array(rows * width), rows, width, offset: 0, stride: width });
    return value;
  };
  const inner: ReferenceContext = {
    ...context,
    matrix: (value) => scratch.get(value) ?? context.matrix(value),
  };
  const prepare = (x: Value, into: Value, weight?: Weight) => {
    let normed = x;
    if (node.norm) {
      normed = temporary(x);
      const { rope: { headDim: groupWidth }, norm: { epsilon } } = node;
      normReference(
        { op: "norm", inputs: [x], outputs: [normed], kind: "rms", groupWidth, epsilon, weight },
        inner,
      );
    }
    ropeReference({ op: "rope", inputs: [normed], outputs: [into], ...node.rope }, inner);
  };
  prepare(q, y, node.norm?.query);
  const rotatedKeys = temporary(k);
  prepare(k, rotatedKeys, node.norm?.key);
  const { keys, values } = node;
  storeKvReference({ op: "store_kv", inputs: [rotatedKeys, v], outputs: [], keys, values }, inner);
}

/** GPU: one team of lanes per head. */
function record(node: AttentionInputsNode, gpu: GpuContext): void {
  const [q, k, v] = node.inputs.map((value) => gpu.matrix(value));
  const y = gpu.matrix(node.outputs[0]);
  const keys = gpu.state(node.keys);
  const values = gpu.state(node.values);
  const { headDim, rotaryOffset, rotaryDim, pairing, frequencies, magnitude } = node.rope;
  const items = (q.width + k.width) / headDim + Math.ceil(v.width / headDim);
  const { workgroup, team } = teamFor(gpu.kernels, headDim, items);
  const block = Math.max(cacheBlock(keys.type), cacheBlock(values.type));
  assert(headDim % block === 0, `${node.keys.name}: heads of ${headDim} elements in blocks of ${block}`);
  const constants = {
    WORKGROUP: workgroup,
    TEAM: team,
    ADJACENT: pairing === "adjacent",
    NORM: node.norm !== undefined,
    KEY_TYPE: cacheTypeNumber(keys.type),
    VALUE_TYPE: cacheTypeNumber(values.type),
    STAGED: block > 1 ? headDim : 0,
  };
  gpu.recorder.dispatch(gpu.kernels.get("attention_inputs", { constants }), {
    workgroups: [Math.ceil(items / (workgroup / team)), q.rows, 1],
    push: {
      step: gpu.step,
      q: q.span,
      k: k.span,
      v: v.span,
      y: y.span,
      keys: keys.span,
      values: values.span,
      queryNorm: parameters(gpu, node.norm?.query),
      keyNorm: parameters(gpu, node.norm?.key),
      frequencies: parameters(gpu, frequencies),
      heads: q.width / headDim,
      kvHeads: k.width / headDim,
      headDim,
      valueWidth: v.width,
      rotaryOffset,
      rotaryDim,
      qStride: q.stride,
      kStride: k.stride,
      vStride: v.stride,
      yStride: y.stride,
      epsilon: node.norm?.epsilon ?? 0,
      magnitude,
    },
    reads: [gpu.step, ...spansOf(q, k, v)],
    writes: [y.span, keys.span, values.span],
  });
}

/** `attention_inputs`. */
export const attentionInputs: Operation<AttentionInputsNode> = { op: "attention_inputs", reference, record };
