/** Gate, up and the activation between them become one product over two weights: the input is read once. */
import type { MatmulNode } from "../../kernels/matmul.ts";
import type { Node } from "../../kernels/registry.ts";
import type { Fusion } from "../fuse.ts";

/** `gated(W x, U x)` becomes a matmul with `up`. */
export const gateUp: Fusion = {
  name: "gate_up",
  apply(nodes, uses) {
    const producers = new Map(nodes.flatMap((node) => node.op === "matmul" ? [[node.outputs[0], node]] : []));
    const dropped = new Set<Node>();
    const fused = nodes.map((node) => {
      if (node.op !== "gated") return node;
      const gate = producers.get(node.inputs[0]);
      const up = producers.get(node.inputs[1]);
      if (!gate || !up || !isPair(gate, up)) return node;
      if (uses.onlyReader(node.inputs[0]) !== node || uses.onlyReader(node.inputs[1]) !== node) return node;
      dropped.add(gate).add(up);
      const second = { weight: up.weight, bias: up.bias };
      return { ...gate, outputs: node.outputs, activation: node.activation, up: second };
    });
    return fused.filter((node) => !dropped.has(node));
  },
};

function isPair(gate: MatmulNode, up: MatmulNode): boolean {
  const plain = [gate, up].every(({ inputs, activation, scale, norm, up }) =>
    inputs.length === 1 && activation === "none" && scale === 1 && !norm && !up
  );
  return plain && gate !== up && gate.inputs[0] === up.inputs[0] && gate.weight.format === up.weight.format &&
    gate.weight.rows === up.weight.rows;
}
