/**
 * While generating, the short convolution in front of a delta net moves into it: a recurrent layer then waits as often as an
 * attention layer does. With more tokens every value element would repeat the convolution of its head's keys and queries.
 */
import type { ShortConvolutionNode } from "../../kernels/short_convolution.ts";
import type { Node } from "../../kernels/registry.ts";
import type { Value } from "../../kernels/operation.ts";
import type { Fusion, Uses } from "../fuse.ts";

/** `delta_net(short_convolution(x))` of one token becomes a delta net with a convolution. */
export const convolutionDelta: Fusion = {
  name: "convolution",
  apply(nodes, uses) {
    const convolutions = new Map<Value, ShortConvolutionNode>();
    for (const node of nodes) {
      if (node.op === "short_convolution" && movable(node, uses)) convolutions.set(node.outputs[0], node);
    }
    const moved = new Set<Node>(convolutions.values());
    return nodes.filter((node) => !moved.has(node)).map((node) => {
      const convolution = node.op === "delta_net" ? convolutions.get(node.inputs[0]) : undefined;
      if (node.op !== "delta_net" || !convolution) return node;
      const { weight, state } = convolution;
      const [, alpha, beta, gate] = node.inputs;
      return { ...node, inputs: [convolution.inputs[0], alpha, beta, gate], convolution: { weight, state } };
    });
  },
};

function movable(node: ShortConvolutionNode, uses: Uses): boolean {
  const plain = node.inputs.length === 1 && !node.bias && node.activation === "silu";
  return plain && node.inputs[0].rows === 1 && uses.onlyReader(node.outputs[0])?.op === "delta_net";
}
