/**
 * While generating, attention takes over what prepares its queries, the new key and the new value, and a gate on its result: a layer then
 * waits once or, with a gate, three times less. With more tokens every part of the context would repeat that work.
 */
import type { AttentionDecodeNode } from "../../kernels/attention_decode.ts";
import type { AttentionInputsNode } from "../../kernels/attention_inputs.ts";
import type { AttentionNode } from "../../kernels/attention.ts";
import type { Value } from "../../kernels/operation.ts";
import type { Node } from "../../kernels/registry.ts";
import type { Fusion, Uses } from "../fuse.ts";

/** `attention(attention_inputs(q, k, v))` of one token, between `deinterleave` and `gated` if they are there, becomes `attention_decode`. */
export const attentionDecode: Fusion = {
  name: "attention_decode",
  apply(nodes, uses) {
    const producers = new Map<Value, Node>(
      nodes.flatMap((node) => node.outputs.map((y) => [y, node] as const)),
    );
    const replacements = new Map<Node, Node>();
    const dropped = new Set<Node>();
    for (const prepare of nodes) {
      if (prepare.op !== "attention_inputs") continue;
      const fused = match(prepare, producers, uses);
      if (!fused) continue;
      const { attention, gating } = fused;
      replacements.set(gating?.product ?? attention, fused);
      dropped.add(prepare).add(attention);
      if (gating) dropped.add(gating.split).add(gating.product);
    }
    return nodes.flatMap((node) => replacements.get(node) ?? (dropped.has(node) ? [] : node));
  },
};

function match(
  prepare: AttentionInputsNode,
  producers: ReadonlyMap<Value, Node>,
  uses: Uses,
): AttentionDecodeNode | undefined {
  const [queries] = prepare.outputs;
  const attention = uses.onlyReader(queries);
  if (queries.rows !== 1 || attention?.op !== "attention" || !isPlain(attention)) return undefined;
  if (attention.keys !== prepare.keys || attention.values !== prepare.values) return undefined;
  if (prepare.inputs[2].width !== attention.kvHeads * attention.headDim) return undefined;
  const gating = matchGate(prepare, attention, producers, uses);
  const [q, k, v] = prepare.inputs;
  return {
    op: "attention_decode",
    inputs: [gating?.split.inputs[0] ?? q, k, v],
    outputs: gating
      ? [gating.product.outputs[0], ...gating.split.outputs, queries, attention.outputs[0]]
      : [attention.outputs[0], queries],
    prepare,
    attention,
    gating,
  };
}

/** Without what depends on the distance of a key, or on another text. */
function isPlain(attention: AttentionNode): boolean {
  const { causal, encoder, alibiSlopes, relativeBias, headDim, valueDim } = attention;
  return causal && !encoder && !alibiSlopes && !relativeBias && headDim === valueDim;
}

function matchGate(
  prepare: AttentionInputsNode,
  attention: AttentionNode,
  producers: ReadonlyMap<Value, Node>,
  uses: Uses,
): AttentionDecodeNode["gating"] {
  const split = producers.get(prepare.inputs[0]);
  const product = uses.onlyReader(attention.outputs[0]);
  if (split?.op !== "deinterleave" || product?.op !== "gated" || product.activation !== "sigmoid") {
    return undefined;
  }
  const [queries, gates] = split.outputs;
  const fits = product.inputs[0] === gates && product.inputs[1] === attention.outputs[0] &&
    split.heads === attention.heads && gates.width === queries.width &&
    uses.onlyReader(queries) === prepare && uses.onlyReader(gates) === product;
  return fits ? { split, product } : undefined;
}
