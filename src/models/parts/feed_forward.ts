/** Feed-forward blocks. */
import type { Activation } from "../../kernels/activations.ts";
import type { Value } from "../../kernels/operation.ts";
import type { ModelBuilder } from "../model_builder.ts";

/** `W_down (activation(W_gate x) * W_up x)`, plus `residual`. */
export function gatedFeedForward(
  m: ModelBuilder,
  layer: number,
  x: Value,
  activation: Activation,
  residual?: Value,
): Value {
  const { config, graph, tensors } = m;
  const inner = config.feedForward[layer];
  const project = (part: string, rows: number, columns: number, input: Value, added?: Value) =>
    graph.matmul(input, tensors.matrix(`blk.${layer}.ffn_${part}.weight`, rows, columns), {
      bias: tensors.optionalVector(`blk.${layer}.ffn_${part}.bias`, rows),
      residual: added,
    });
  const gate = project("gate", inner, config.hidden, x);
  const up = project("up", inner, config.hidden, x);
  return project("down", config.hidden, inner, graph.gated(gate, up, activation), residual);
}
