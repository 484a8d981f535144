/**
 * An RMS norm moves into the products that read it. Each workgroup then sums the squares of its input again, which
 * costs nothing while it waits for weights; a barrier and a launch are saved.
 */
import type { NormNode } from "../../kernels/norm.ts";
import type { Node } from "../../kernels/registry.ts";
import type { Value } from "../../kernels/operation.ts";
import type { Fusion, Uses } from "../fuse.ts";

/** With more tokens the tiled kernels would repeat the norm for every tile, so it stays apart. */
const ROWS_MAX = 8;

/** `W rmsNorm(x)` becomes a matmul with `norm`. */
export const normProduct: Fusion = {
  name: "norm",
  apply(nodes, uses) {
    const norms = new Map<Value, NormNode>();
    for (const node of nodes) {
      if (node.op === "norm" && movable(node, uses)) norms.set(node.outputs[0], node);
    }
    const moved = new Set<Node>(norms.values());
    return nodes.filter((node) => !moved.has(node)).map((node) => {
      const norm = node.op === "matmul" ? norms.get(node.inputs[0]) : undefined;
      if (node.op !== "matmul" || !norm) return node;
      const inputs: typeof node.inputs = node.inputs.length === 2
        ? [norm.inputs[0], node.inputs[1]]
        : [norm.inputs[0]];
      return { ...node, inputs, norm: { weight: norm.weight!, epsilon: norm.epsilon } };
    });
  },
};

function movable(node: NormNode, uses: Uses): boolean {
  const x = node.inputs[0];
  const y = node.outputs[0];
  const wholeRows = node.groupWidth === x.width && node.weight?.columns === x.width;
  if (node.kind !== "rms" || !wholeRows || node.bias || x.rows > ROWS_MAX) return false;
  const readers = uses.readersOf(y);
  return readers !== undefined && readers.length > 0 &&
    readers.every((reader) => reader.op === "matmul" && reader.inputs[0] === y && reader.inputs[1] !== y);
}
