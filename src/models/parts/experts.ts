/**
 * Mixture-of-experts feed-forward blocks: a router chooses a few experts per token, and a shared expert may see every token.
 *
 * Tensors: `ffn_gate_inp` (router), `ffn_{gate,up,down}_exps` `[experts, ...]`, `ffn_{gate,up,down}_shexp`.
 */
import { UserError } from "../../common/errors.ts";
import {
  expertDown,
  expertGateUp,
  route,
  type RouterOptions,
  type Routing,
  scaleRows,
} from "../../graph/expert_nodes.ts";
import type { Activation } from "../../kernels/activations.ts";
import type { GateUpWeights } from "../../kernels/expert_gate_up.ts";
import type { Value } from "../../kernels/operation.ts";
import type { RouterScoring } from "../../kernels/router.ts";
import type { ModelBuilder } from "../model_builder.ts";
import type { Finish } from "./attention.ts";
import { feedForward } from "./feed_forward.ts";
import type { CustomBlock } from "./transformer.ts";

/** Upper bounds that no real model comes near. */
const MAX = { experts: 1 << 14, width: 1 << 20 };

/** What a family's experts compute. */
export interface ExpertSpec {
  readonly activation: Activation;
  /** `gated` (by default): `W_down (activation(W_gate x) * W_up x)`. `plain`: `W_down activation(W_up x)`. */
  readonly kind?: "gated" | "plain";
  /** Inner width; the file's `expert_feed_forward_length` by default, and `feed_forward_length` without that. */
  readonly inner?: number;
  /** Whether the expert's weight multiplies its input instead of its output. */
  readonly weightInput?: boolean;
  /** Whether router and experts have biases. */
  readonly biases?: boolean;
  /** Gates are cut at this value, up projections at both signs of it. */
  readonly limit?: number;
  /** Added to the up projection. */
  readonly upOffset?: number;
}

/** How many experts a layer has and how many a token uses. */
export function expertCounts(m: ModelBuilder): { experts: number; used: number } {
  const { keys } = m.config;
  const experts = keys.integer("expert_count", { min: 0, max: MAX.experts }, 0);
  return {
    experts,
    used: keys.integer("expert_used_count", { min: Math.min(1, experts), max: experts }, experts),
  };
}

/** Inner width of a routed expert of the layer. */
export function expertWidth(m: ModelBuilder, layer: number): number {
  const { keys, feedForward } = m.config;
  return keys.integer("expert_feed_forward_length", { min: 1, max: MAX.width }, feedForward[layer]);
}

/** The router that the file's keys describe: `expert_gating_func`, `expert_weights_norm`, `expert_weights_scale`, `expert_group_*`. */
export function routerFromKeys(m: ModelBuilder, fallback: RouterOptions): RouterOptions {
  const { keys } = m.config;
  const scorings: readonly RouterScoring[] = ["softmax", "sigmoid", "softmax_chosen"];
  // Zero stands for "not given" in the keys of the gating function and the scale.
  const gating = keys.integer("expert_gating_func", { min: 0, max: scorings.length }, 0);
  const scoring = gating === 0 ? fallback.scoring : scorings[gating - 1];
  const { experts } = expertCounts(m);
  const groups = keys.integer("expert_group_count", { min: 0, max: experts }, 0);
  if (groups > 0 && experts % groups !== 0) {
    throw new UserError(
      `Cannot use key "${m.config.architecture}.expert_group_count": ${experts} experts do not divide into ${groups} groups`,
    );
  }
  return {
    ...fallback,
    scoring,
    renormalize: keys.boolean("expert_weights_norm", fallback.renormalize ?? false),
    scale: keys.nonNegative("expert_weights_scale", 0) || (fallback.scale ?? 1),
    groups: groups > 1
      ? {
        count: groups,
        used: keys.integer("expert_group_used_count", { min: 1, max: groups }),
        score: scoring === "sigmoid" ? "best_two" : "best",
      }
      : undefined,
  };
}

/** Chooses the experts of layer `layer` for the rows of `x [tokens, hidden]`. */
export function routeTokens(
  m: ModelBuilder,
  layer: number,
  x: Value,
  options: RouterOptions,
  logits: { readonly bias?: boolean; readonly scale?: number } = {},
): Routing {
  const { graph, tensors } = m;
  const { experts, used } = expertCounts(m);
  const name = `blk.${layer}.ffn_gate_inp`;
  const scores = graph.matmul(x, tensors.matrix(`${name}.weight`, experts, x.width), {
    bias: tensors.bias(`${name}.bias`, experts, logits.bias),
    scale: logits.scale,
  });
  return route(graph, scores, used, options);
}

/** The bias that takes part in the choice of experts alone; some files of a family that has it lack it. */
export function selectionBias(m: ModelBuilder, layer: number): Pick<RouterOptions, "selectionBias"> {
  const { experts } = expertCounts(m);
  return { selectionBias: m.tensors.optionalVector(`blk.${layer}.exp_probs_b.bias`, experts) };
}

/** The chosen experts' outputs, summed with their weights. */
export function experts(
  m: ModelBuilder,
  layer: number,
  x: Value,
  routing: Routing,
  spec: ExpertSpec,
  finish: Finish = {},
): Value {
  const { graph, tensors } = m;
  const { experts } = expertCounts(m);
  const inner = spec.inner ?? expertWidth(m, layer);
  const bias = (part: string, width: number) =>
    spec.biases ? tensors.parameters(`blk.${layer}.ffn_${part}_exps.bias`, experts, width) : undefined;
  const { activation, kind = "gated", weightInput, limit, upOffset } = spec;
  const h = expertGateUp(graph, x, routing, gateUpWeights(m, layer, x.width, inner, kind), {
    activation,
    weightInput,
    gateBias: kind === "gated" ? bias("gate", inner) : undefined,
    upBias: bias("up", inner),
    limit,
    upOffset,
  });
  const down = tensors.experts(`blk.${layer}.ffn_down_exps.weight`, experts, m.config.hidden, inner);
  return expertDown(graph, h, routing, down, {
    bias: bias("down", m.config.hidden),
    weighted: !weightInput,
    ...finish,
  });
}

/** Gate and up projections, as two tensors or as one with the gate's rows first. */
function gateUpWeights(
  m: ModelBuilder,
  layer: number,
  width: number,
  inner: number,
  kind: "gated" | "plain",
): GateUpWeights {
  const { tensors } = m;
  const { experts } = expertCounts(m);
  const stack = (part: string, rows: number) =>
    tensors.experts(`blk.${layer}.ffn_${part}_exps.weight`, experts, rows, width);
  if (kind === "plain") return { up: stack("up", inner) };
  if (tensors.has(`blk.${layer}.ffn_gate_up_exps.weight`)) return { gateUp: stack("gate_up", 2 * inner) };
  return { gate: stack("gate", inner), up: stack("up", inner) };
}

/** The expert that sees every token. */
export interface SharedExpertSpec {
  readonly activation: Activation;
  readonly kind?: "gated" | "plain";
  readonly inner: number;
  /** Whether its output is multiplied by the sigmoid of one more logit, `ffn_gate_inp_shexp`. */
  readonly outputGate?: boolean;
}

/** Output of the shared expert of layer `layer`. */
export function sharedExpert(
  m: ModelBuilder,
  layer: number,
  x: Value,
  spec: SharedExpertSpec,
  finish: Finish = {},
): Value {
  const { graph, tensors } = m;
  const { activation, kind = "gated", inner, outputGate } = spec;
  const weight = (part: string, rows: number, columns: number) =>
    tensors.matrix(`blk.${layer}.ffn_${part}_shexp.weight`, rows, columns);
  const up = weight("up", inner, x.width);
  let h = kind === "plain"
    ? graph.matmul(x, up, { activation })
    : graph.gated(graph.matmul(x, weight("gate", inner, x.width)), graph.matmul(x, up), activation);
  if (outputGate) {
    // The gate is one number per token, so it may as well multiply the input of the last product.
    const logit = graph.matmul(x, tensors.matrix(`blk.${layer}.ffn_gate_inp_shexp.weight`, 1, x.width));
    h = scaleRows(graph, h, logit, "sigmoid");
  }
  return graph.matmul(h, weight("down", m.config.hidden, inner), finish);
}

/** Inner width of the shared expert: its own key, or as many experts' width as there are shared ones. */
export function sharedExpertWidth(m: ModelBuilder, layer: number): number {
  const { keys } = m.config;
  const width = keys.integer("expert_shared_feed_forward_length", { min: 0, max: MAX.width }, 0);
  return width ||
    keys.integer("expert_shared_count", { min: 0, max: MAX.experts }, 0) * expertWidth(m, layer);
}

/** A whole block: shared expert (where it has a width) and routed experts, added to the residual. */
export function mixture(
  m: ModelBuilder,
  layer: number,
  x: Value,
  spec: ExpertSpec & { readonly router: RouterOptions; readonly shared?: SharedExpertSpec },
  finish: Finish = {},
): Value {
  const routing = routeTokens(m, layer, x, spec.router, { bias: spec.biases });
  const { shared } = spec;
  const residual = shared && shared.inner > 0 ? sharedExpert(m, layer, x, shared, finish) : finish.residual;
  return experts(m, layer, x, routing, spec, { ...finish, residual });
}

/** A feed-forward part whose first layers (`leading_dense_block_count`) are gated blocks without experts. */
export function leadingDense(trait: string, build: CustomBlock["build"]): CustomBlock {
  return {
    trait: `SwiGLU, then ${trait}`,
    build: (m, layer, x, finish) => {
      const dense = m.config.keys.integer("leading_dense_block_count", { min: 0, max: MAX.width }, 0);
      return layer < dense
        ? feedForward(m, layer, x, { kind: "gated", activation: "silu" }, finish)
        : build(m, layer, x, finish);
    },
  };
}

/** The mixture that DeepSeek-V3 introduced, as other families have it: sigmoid scores, a selection bias, renormalised and scaled. */
export const sigmoidMixture = leadingDense(
  "experts, sigmoid router with selection bias, shared expert",
  (m, layer, x, finish) =>
    mixture(m, layer, x, {
      activation: "silu",
      router: { ...routerFromKeys(m, { scoring: "sigmoid", renormalize: true }), ...selectionBias(m, layer) },
      shared: { activation: "silu", inner: sharedExpertWidth(m, layer) },
    }, finish),
);
