/**
 * The feed-forward half of Gemma 4's mixture models (https://huggingface.co/google/gemma-4-26B-A4B-it): the dense block and routed
 * experts side by side, each with norms of its own. The router reads the hidden state itself, normed without weights and scaled,
 * and each expert has a factor of its own.
 */
import type { Value } from "../kernels/operation.ts";
import type { ModelBuilder } from "./model_builder.ts";
import { expertCounts, experts, routeTokens } from "./parts/experts.ts";
import { feedForward } from "./parts/feed_forward.ts";
import { norm } from "./parts/norm.ts";

const RMS = { kind: "rms" } as const;

/** Whether a layer has experts. */
export function hasExperts(m: ModelBuilder, layer: number): boolean {
  return m.tensors.has(`blk.${layer}.ffn_gate_inp.weight`);
}

/** Dense block plus experts, up to the norm behind their sum. */
export function denseAndExperts(m: ModelBuilder, layer: number, hidden: Value): Value {
  const name = `blk.${layer}.`;
  const dense = feedForward(m, layer, norm(m, hidden, `${name}ffn_norm`, RMS), {
    kind: "gated",
    activation: "gelu",
  });
  const mixed = experts(m, layer, norm(m, hidden, `${name}pre_ffw_norm_2`, RMS), routing(m, layer, hidden), {
    activation: "gelu",
  });
  return m.graph.sum(
    norm(m, dense, `${name}post_ffw_norm_1`, RMS),
    norm(m, mixed, `${name}post_ffw_norm_2`, RMS),
  );
}

function routing(m: ModelBuilder, layer: number, hidden: Value) {
  const { config, graph, tensors } = m;
  const scaled = graph.norm(hidden, {
    weight: tensors.vector(`blk.${layer}.ffn_gate_inp.scale`, config.hidden),
    epsilon: config.normEpsilon,
  });
  const expertScales = tensors.optionalVector(`blk.${layer}.ffn_down_exps.scale`, expertCounts(m).experts);
  const options = { scoring: "softmax", renormalize: true, expertScales } as const;
  return routeTokens(m, layer, scaled, options, { scale: 1 / Math.sqrt(config.hidden) });
}
