/** Feed-forward blocks: gated (SwiGLU and its kin) or plain. */
import { UserError } from "../../common/errors.ts";
import type { Activation } from "../../kernels/activations.ts";
import type { Value } from "../../kernels/operation.ts";
import type { ModelBuilder } from "../model_builder.ts";
import type { Finish } from "./attention.ts";

/** An activation that only one family has: a name for the table of families, and its graph. */
export interface CustomActivation {
  readonly trait: string;
  apply(m: ModelBuilder, layer: number, x: Value): Value;
}

/** What a feed-forward block computes. */
export type FeedForwardSpec =
  & {
    /** Biases that must be there; others are used where the file has them. */
    readonly bias?: boolean;
  }
  & (
    /** `W_down (activation(W_gate x) * W_up x)`; `fused` files hold gate and up, in this order, as one `ffn_up`. */
    | { readonly kind: "gated"; readonly activation: Activation; readonly fused?: boolean }
    /** `W_down activation(W_up x)`. */
    | { readonly kind: "plain"; readonly activation: Activation | CustomActivation }
  );

/** The block of layer `layer` over `x [tokens, hidden]`. */
export function feedForward(
  m: ModelBuilder,
  layer: number,
  x: Value,
  spec: FeedForwardSpec,
  finish: Finish = {},
): Value {
  const { config, graph, tensors } = m;
  const inner = config.feedForward[layer];
  if (inner < 1) {
    throw new UserError(
      `Cannot use key "${config.architecture}.feed_forward_length": it is missing or 0 for layer ${layer}`,
    );
  }
  const project = (
    part: string,
    rows: number,
    input: Value,
    options: Finish & { activation?: Activation } = {},
  ) =>
    graph.matmul(input, tensors.matrix(`blk.${layer}.ffn_${part}.weight`, rows, input.width), {
      bias: tensors.bias(`blk.${layer}.ffn_${part}.bias`, rows, spec.bias),
      ...options,
    });
  const middle = () => {
    if (spec.kind === "plain") {
      const { activation } = spec;
      return typeof activation === "string"
        ? project("up", inner, x, { activation })
        : activation.apply(m, layer, project("up", inner, x));
    }
    if (spec.fused && !tensors.has(`blk.${layer}.ffn_gate.weight`)) {
      const both = project("up", 2 * inner, x);
      return graph.gated(graph.columns(both, 0, inner), graph.columns(both, inner, inner), spec.activation);
    }
    return graph.gated(project("gate", inner, x), project("up", inner, x), spec.activation);
  };
  return project("down", config.hidden, middle(), finish);
}
