/** Feed-forward blocks: gated (SwiGLU and its kin) or plain. */
import { UserError } from "../../common/errors.ts";
import type { Activation } from "../../kernels/activations.ts";
import type { Value } from "../../kernels/operation.ts";
import type { ModelBuilder } from "../model_builder.ts";
import type { Finish } from "./attention.ts";

/** What a feed-forward block computes. */
export interface FeedForwardSpec {
  /** `gated`: `W_down (activation(W_gate x) * W_up x)`. `plain`: `W_down activation(W_up x)`. */
  readonly kind: "gated" | "plain";
  readonly activation: Activation;
  /** Whether the file is expected to hold gate and up, in this order, as one `ffn_up`. */
  readonly fused?: boolean;
  /** Biases that must be there; others are used where the file has them. */
  readonly bias?: boolean;
  /** Applied to `W_up x` of a plain block instead of `activation`. */
  readonly apply?: (m: ModelBuilder, layer: number, x: Value) => Value;
}

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
      return spec.apply
        ? spec.apply(m, layer, project("up", inner, x))
        : project("up", inner, x, { activation: spec.activation });
    }
    if (spec.fused && !tensors.has(`blk.${layer}.ffn_gate.weight`)) {
      const both = project("up", 2 * inner, x);
      return graph.gated(graph.columns(both, 0, inner), graph.columns(both, inner, inner), spec.activation);
    }
    return graph.gated(project("gate", inner, x), project("up", inner, x), spec.activation);
  };
  return project("down", config.hidden, middle(), finish);
}
