/** A sum with a product's result moves into the product: the residual is added where the result is written. */
import type { MatmulNode } from "../../kernels/matmul.ts";
import type { Node } from "../../kernels/registry.ts";
import type { Value } from "../../kernels/operation.ts";
import type { Fusion, Uses } from "../fuse.ts";

/** `a + scale * (W x)` becomes a matmul with a residual. */
export const residualProduct: Fusion = {
  name: "residual",
  apply(nodes, uses) {
    const producers = new Map<Value, MatmulNode>();
    const dropped = new Set<Node>();
    const fused = nodes.map((node) => {
      if (node.op === "matmul") producers.set(node.outputs[0], node);
      if (node.op !== "add") return node;
      const [a, b] = node.inputs;
      const right = producers.get(b);
      if (right && takesResidual(right, b, node, uses)) {
        dropped.add(right);
        return {
          ...right,
          inputs: [right.inputs[0], a] as const,
          outputs: node.outputs,
          scale: right.scale * node.scale,
        };
      }
      const left = node.scale === 1 ? producers.get(a) : undefined;
      if (left && takesResidual(left, a, node, uses)) {
        dropped.add(left);
        return { ...left, inputs: [left.inputs[0], b] as const, outputs: node.outputs };
      }
      return node;
    });
    return fused.filter((node) => !dropped.has(node));
  },
};

function takesResidual(product: MatmulNode, value: Value, sum: Node, uses: Uses): boolean {
  const other = sum.inputs.find((input) => input !== value);
  return product.inputs.length === 1 && other !== undefined && uses.onlyReader(value) === sum;
}
