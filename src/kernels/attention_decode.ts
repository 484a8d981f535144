/**
 * Attention of one token from its projections on, in one dispatch: `attention_inputs` and `attention`, and for gated attention the
 * separation of queries and gates before and the product with the gates behind. It is what a fusion makes of these for generation,
 * where each of them is short and would otherwise wait for the one before.
 */
import { attention, type AttentionNode } from "./attention.ts";
import { type AttentionDecodePlan, planAttentionDecode } from "./attention_decode_plan.ts";
import { attentionInputs, type AttentionInputsNode } from "./attention_inputs.ts";
import { deinterleave, type DeinterleaveNode } from "./deinterleave.ts";
import { gated, type GatedNode } from "./gated.ts";
import type { GpuContext, NodeBase, Operation, ReferenceContext, Value } from "./operation.ts";
import { parameters, spansOf } from "./recording.ts";

/** The nodes that it stands for, in their order. Each reads what the one before wrote, which nothing else reads. */
export interface AttentionDecodeNode extends NodeBase {
  readonly op: "attention_decode";
  /** q `[1, heads * headDim]`, k `[1, kvHeads * headDim]`, v `[1, kvHeads * headDim]`; with gates q is what `gating` separates. */
  readonly inputs: readonly [Value, Value, Value];
  /** The result `[1, heads * headDim]`, and room for what the parts leave to each other. */
  readonly outputs: readonly [Value, ...Value[]];
  readonly prepare: AttentionInputsNode;
  readonly attention: AttentionNode;
  /** `sigmoid(gate) * attention`, queries and gates side by side in every head. */
  readonly gating?: { readonly split: DeinterleaveNode; readonly product: GatedNode };
}

/** Reference: the operations it stands for, one after the other. */
function reference(node: AttentionDecodeNode, context: ReferenceContext): void {
  const { prepare, attention: attend, gating } = node;
  if (gating) deinterleave.reference(gating.split, context);
  attentionInputs.reference(prepare, context);
  attention.reference(attend, context);
  if (gating) gated.reference(gating.product, context);
}

/** GPU: one dispatch where the kernel serves the shape; otherwise those of the operations it stands for. */
function record(node: AttentionDecodeNode, gpu: GpuContext): void {
  const plan = planAttentionDecode(node, gpu);
  if (plan) return recordFused(node, gpu, plan);
  const { prepare, attention: attend, gating } = node;
  if (gating) deinterleave.record(gating.split, gpu);
  attentionInputs.record(prepare, gpu);
  attention.record(attend, gpu);
  if (gating) gated.record(gating.product, gpu);
}

function recordFused(node: AttentionDecodeNode, gpu: GpuContext, plan: AttentionDecodePlan): void {
  const { prepare: { norm, rope }, attention: { keys, values, heads, headDim, scale, sinks }, gating } = node;
  const [q, k, v] = node.inputs.map((value) => gpu.matrix(value));
  const y = gpu.matrix(node.outputs[0]);
  const keySpan = gpu.state(keys).span;
  const valueSpan = gpu.state(values).span;
  const gateOffset = headDim * 4;
  const gate = gating && { ...q.span, offset: q.span.offset + gateOffset, bytes: q.span.bytes - gateOffset };
  const parts = plan.workgroups[2];
  const split = parts > 1
    ? { parts: gpu.scratch(parts * heads * (headDim + 4) * 4), tickets: gpu.tickets(heads) }
    : undefined;
  gpu.recorder.dispatch(gpu.kernels.get("attention_decode", { constants: plan.constants }), {
    workgroups: plan.workgroups,
    push: {
      step: gpu.step,
      q: q.span,
      k: k.span,
      v: v.span,
      y: y.span,
      parts: split?.parts ?? 0,
      tickets: split?.tickets ?? 0,
      keys: keySpan,
      values: valueSpan,
      queryNorm: parameters(gpu, norm?.query),
      keyNorm: parameters(gpu, norm?.key),
      frequencies: parameters(gpu, rope.frequencies),
      sinks: parameters(gpu, sinks),
      gate: gate ?? 0,
      scale,
      epsilon: norm?.epsilon ?? 0,
      magnitude: rope.magnitude,
      cached: plan.cached,
    },
    reads: [gpu.step, ...spansOf(q, k, v), keySpan, valueSpan],
    writes: [y.span, keySpan, valueSpan, ...(split ? [split.parts, split.tickets] : [])],
  });
}

/** `attention_decode`. */
export const attentionDecode: Operation<AttentionDecodeNode> = { op: "attention_decode", reference, record };
