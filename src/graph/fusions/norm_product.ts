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

/** `W rmsNorm(x)` becomes a matmul (or a product with chosen experts) with `norm`. */
export const normProduct: Fusion = {
  name: "norm",
  apply(nodes, uses) {
    const norms = new Map<Value, NormNode>();
    for (const node of nodes) {
      if (node.op === "norm" && movable(node, uses)) norms.set(node.outputs[0], node);
    }
    const moved = new Set<Node>(norms.values());
    return nodes.filter((node) => !moved.has(node)).map((node) => {
      if (node.op !== "matmul" && node.op !== "expert_gate_up") return node;
      const norm = norms.get(node.inputs[0]);
      if (!norm) return node;
      const folded = { weight: norm.weight!, epsilon: norm.epsilon };
      const inputs: readonly Value[] = [norm.inputs[0], ...node.inputs.slice(1)];
      return node.op === "matmul"
        ? { ...node, inputs: inputs as typeof node.inputs, norm: folded }
        : { ...node, inputs: inputs as typeof node.inputs, norm: folded };
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
    readers.every((reader) =>
      (reader.op === "matmul" || reader.op === "expert_gate_up") && reader.inputs.indexOf(y) === 0 &&
      reader.inputs.lastIndexOf(y) === 0
    );
}
