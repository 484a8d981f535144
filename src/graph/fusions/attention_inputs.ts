/**
 * Per-head norms, rotations and the store of a layer's keys and values become one dispatch: all of them are short, and
 * each would otherwise wait for the one before.
 */
import type { AttentionInputsNode } from "../../kernels/attention_inputs.ts";
import type { NormNode } from "../../kernels/norm.ts";
import type { Value } from "../../kernels/operation.ts";
import type { Node } from "../../kernels/registry.ts";
import type { RopeNode } from "../../kernels/rope.ts";
import type { StoreKvNode } from "../../kernels/store_kv.ts";
import type { Fusion, Uses } from "../fuse.ts";

/** `store_kv(rope(norm(k)), v)` and the `rope(norm(q))` of the attention that reads it become `attention_inputs`. */
export const attentionInputs: Fusion = {
  name: "attention_inputs",
  apply(nodes, uses) {
    const producers = new Map<Value, Node>(
      nodes.flatMap((node) => node.outputs.map((y) => [y, node] as const)),
    );
    const order = new Map<Node, number>(nodes.map((node, i) => [node, i]));
    const dropped = new Set<Node>();
    const fused = nodes.map((node) => {
      if (node.op !== "store_kv") return node;
      const match = matchStore(node, nodes, producers, uses);
      if (!match) return node;
      const input = producers.get(match.node.inputs[0]);
      if (input && order.get(input)! > order.get(node)!) return node;
      match.replaced.forEach((old) => dropped.add(old));
      return match.node;
    });
    return fused.filter((node) => !dropped.has(node));
  },
};

interface Match {
  readonly node: AttentionInputsNode;
  /** What it stands for, the store itself apart. */
  readonly replaced: readonly Node[];
}

function matchStore(
  store: StoreKvNode,
  nodes: readonly Node[],
  producers: ReadonlyMap<Value, Node>,
  uses: Uses,
): Match | undefined {
  const { keys, values, inputs: [key, v] } = store;
  const readers = nodes.filter((node) => node.op === "attention" && node.keys === keys);
  const [reader] = readers;
  if (readers.length !== 1 || reader.op !== "attention" || !values || !v) return undefined;
  const ropeOf = (x: Value, user: Node): RopeNode | undefined => {
    const node = producers.get(x);
    return node?.op === "rope" && uses.onlyReader(x) === user ? node : undefined;
  };
  const keyRope = ropeOf(key, store);
  const queryRope = ropeOf(reader.inputs[0], reader);
  if (!keyRope || !queryRope || !sameRotation(keyRope, queryRope)) return undefined;
  const normOf = (rope: RopeNode): NormNode | undefined => {
    const node = producers.get(rope.inputs[0]);
    const fits = node?.op === "norm" && node.kind === "rms" && node.groupWidth === rope.headDim &&
      node.weight?.columns === rope.headDim && !node.bias;
    return fits && uses.onlyReader(rope.inputs[0]) === rope ? node : undefined;
  };
  const keyNorm = normOf(keyRope);
  const queryNorm = normOf(queryRope);
  const normed = keyNorm && queryNorm && keyNorm.epsilon === queryNorm.epsilon;
  const { headDim, rotaryOffset, rotaryDim, pairing, frequencies, magnitude } = keyRope;
  return {
    node: {
      op: "attention_inputs",
      inputs: [
        normed ? queryNorm.inputs[0] : queryRope.inputs[0],
        normed ? keyNorm.inputs[0] : keyRope.inputs[0],
        v,
      ],
      outputs: queryRope.outputs,
      keys,
      values,
      rope: { headDim, rotaryOffset, rotaryDim, pairing, frequencies, magnitude },
      norm: normed ? { query: queryNorm.weight!, key: keyNorm.weight!, epsilon: keyNorm.epsilon } : undefined,
    },
    replaced: normed ? [keyRope, queryRope, keyNorm, queryNorm] : [keyRope, queryRope],
  };
}

function sameRotation(a: RopeNode, b: RopeNode): boolean {
  return a.headDim === b.headDim && a.rotaryOffset === b.rotaryOffset && a.rotaryDim === b.rotaryDim &&
    a.pairing === b.pairing && a.frequencies === b.frequencies && a.magnitude === b.magnitude;
}
