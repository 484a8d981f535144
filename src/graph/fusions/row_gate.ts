/** A gate per row, as shared experts have it, moves into the product behind it: both only scale, so the order does not matter. */
import type { MatmulNode } from "../../kernels/matmul.ts";
import type { Value } from "../../kernels/operation.ts";
import type { Node } from "../../kernels/registry.ts";
import type { ScaleRowsNode } from "../../kernels/scale_rows.ts";
import type { Fusion } from "../fuse.ts";

/** `residual + W (sigmoid(g) x)` becomes a matmul with gates. */
export const rowGate: Fusion = {
  name: "row_gate",
  apply(nodes, uses) {
    const scaled = new Map<Value, ScaleRowsNode>();
    for (const node of nodes) {
      if (node.op === "scale_rows" && node.activation === "sigmoid") scaled.set(node.outputs[0], node);
    }
    const moved = new Set<Node>();
    const fused = nodes.map((node) => {
      if (node.op !== "matmul") return node;
      const scale = scaled.get(node.inputs[0]);
      if (!scale || uses.onlyReader(node.inputs[0]) !== node || !takesGates(node)) return node;
      moved.add(scale);
      const [x, gates] = scale.inputs;
      return { ...node, inputs: [x, node.inputs[1]!, gates] as const };
    });
    return fused.filter((node) => !moved.has(node));
  },
};

function takesGates({ inputs, bias, activation, norm, up }: MatmulNode): boolean {
  return inputs.length === 2 && !bias && activation === "none" && !norm && !up;
}
