/**
 * While generating, the choice of experts moves into the product that scores them: its last workgroup chooses, which saves a launch
 * and the wait before it. With more tokens the choices are made side by side in a dispatch of their own.
 */
import type { MatmulNode } from "../../kernels/matmul.ts";
import type { Value } from "../../kernels/operation.ts";
import type { Node } from "../../kernels/registry.ts";
import type { Fusion, Uses } from "../fuse.ts";

/** `router(W x)` of one token becomes a router with a product. */
export const routerProduct: Fusion = {
  name: "router",
  apply(nodes, uses) {
    const products = new Map<Value, MatmulNode>();
    for (const node of nodes) {
      if (node.op === "matmul" && movable(node, uses)) products.set(node.outputs[0], node);
    }
    const moved = new Set<Node>(products.values());
    return nodes.filter((node) => !moved.has(node)).map((node) => {
      if (node.op !== "router") return node;
      const product = products.get(node.inputs[0]);
      if (!product) return node;
      const { inputs, outputs: [logits], weight, bias, scale, norm } = product;
      const [ids, weights] = node.outputs;
      return {
        ...node,
        inputs: [inputs[0]],
        outputs: [ids, weights, logits],
        product: { weight, bias, scale, norm },
      } as const;
    });
  },
};

function movable(node: MatmulNode, uses: Uses): boolean {
  const plain = node.inputs.length === 1 && node.activation === "none" && !node.up;
  return plain && node.inputs[0].rows === 1 && uses.onlyReader(node.outputs[0])?.op === "router";
}
