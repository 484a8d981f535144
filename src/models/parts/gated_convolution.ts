/** LFM2's convolution block (https://arxiv.org/abs/2511.23404, section 2): a short causal convolution between two gates. */
import { shortConvolution } from "../../graph/recurrent_nodes.ts";
import type { Value } from "../../kernels/operation.ts";
import type { ModelBuilder } from "../model_builder.ts";
import type { Finish } from "./attention.ts";

/** The block of layer `layer`; `in_proj` gives the input gate, the output gate and what is convolved, in this order. */
export function gatedConvolution(m: ModelBuilder, layer: number, x: Value, finish: Finish = {}): Value {
  const { config, graph, tensors, states } = m;
  const width = config.hidden;
  const kernel = config.keys.integer("shortconv.l_cache", { min: 2, max: 64 });
  const name = (part: string) => `blk.${layer}.shortconv.${part}.weight`;
  const projected = graph.matmul(x, tensors.matrix(name("in_proj"), 3 * width, width));
  const [before, after, value] = [0, 1, 2].map((part) => graph.columns(projected, part * width, width));
  const mixed = shortConvolution(
    graph,
    value,
    tensors.parameters(name("conv"), width, kernel),
    states.recurrent(`blk.${layer}.convolution`, kernel * width),
    { gates: { before, after } },
  );
  return graph.matmul(mixed, tensors.matrix(name("out_proj"), width, width), finish);
}
