/** Graph building for routed experts and per-head products: the checks and shapes of their operations. */
import { assert } from "../common/assert.ts";
import type { ExpertDownNode } from "../kernels/expert_down.ts";
import type { ExpertGateUpNode, GateUpWeights } from "../kernels/expert_gate_up.ts";
import type { Activation } from "../kernels/activations.ts";
import type { Value, Weight } from "../kernels/operation.ts";
import type { RouterNode } from "../kernels/router.ts";
import type { GraphBuilder } from "./builder.ts";

/** Chosen experts of each token, `[rows, used]`, and their weights, `[rows, used]`. */
export interface Routing {
  readonly ids: Value;
  readonly weights: Value;
}

/** What a router does beyond scoring; what is left out is off. */
export type RouterOptions =
  & Pick<RouterNode, "scoring">
  & Partial<Pick<RouterNode, "groups" | "selectionBias" | "renormalize" | "scale" | "expertScales">>;

/** Chooses `used` experts per row of `logits [rows, experts]`. */
export function route(graph: GraphBuilder, logits: Value, used: number, options: RouterOptions): Routing {
  assert(used >= 1 && used <= logits.width, `${logits.name}: ${used} of ${logits.width} experts`);
  const ids = graph.value(`ids(${logits.name})`, logits.rows, used);
  const weights = graph.value(`weights(${logits.name})`, logits.rows, used);
  const { renormalize = false, scale = 1 } = options;
  graph.add({ op: "router", inputs: [logits], outputs: [ids, weights], ...options, renormalize, scale });
  return { ids, weights };
}

/** The first half of a routed feed-forward block; what is left out is off. */
export type ExpertGateUpOptions =
  & { readonly activation: Activation; readonly weightInput?: boolean }
  & Partial<Pick<ExpertGateUpNode, "gateBias" | "upBias" | "limit" | "upOffset">>;

/** Gate and up projections of the chosen experts: `[rows, used * inner]`. */
export function expertGateUp(
  graph: GraphBuilder,
  x: Value,
  routing: Routing,
  weights: GateUpWeights,
  options: ExpertGateUpOptions,
): Value {
  const up = "gateUp" in weights ? weights.gateUp : weights.up;
  const inner = "gateUp" in weights ? up.rows / 2 : up.rows;
  assert(x.width === up.columns, `${up.name}: ${up.columns} columns times ${x.name} of width ${x.width}`);
  const { activation, weightInput = false, gateBias, upBias, limit = Infinity, upOffset = 0 } = options;
  const y = graph.value(up.name, x.rows, routing.ids.width * inner);
  graph.add({
    op: "expert_gate_up",
    inputs: weightInput ? [x, routing.ids, routing.weights] : [x, routing.ids],
    outputs: [y],
    weights,
    gateBias,
    upBias,
    activation,
    limit,
    upOffset,
  });
  return y;
}

/** The second half of a routed feed-forward block; what is left out is off. */
export type ExpertDownOptions =
  & { readonly residual?: Value }
  & Partial<Pick<ExpertDownNode, "bias" | "scale" | "weighted">>;

/** Weighted sum of the chosen experts' down projections: `[rows, weight rows]`. */
export function expertDown(
  graph: GraphBuilder,
  h: Value,
  routing: Routing,
  weight: Weight,
  options: ExpertDownOptions = {},
): Value {
  assert(h.width === routing.ids.width * weight.columns, `${weight.name}: ${h.name} has width ${h.width}`);
  const { residual, bias, scale = 1, weighted = true } = options;
  const y = graph.value(weight.name, h.rows, weight.rows);
  const { ids, weights } = routing;
  const inputs: ExpertDownNode["inputs"] = residual ? [h, ids, weights, residual] : [h, ids, weights];
  graph.add({ op: "expert_down", inputs, outputs: [y], weight, bias, scale, weighted });
  return y;
}

/** `activation(factor) * x`, one factor per row. */
export function scaleRows(graph: GraphBuilder, x: Value, factor: Value, activation: Activation): Value {
  assert(factor.width === 1 && factor.rows === x.rows, `${factor.name}: not one number per row of ${x.name}`);
  const y = graph.value(`scaled(${x.name})`, x.rows, x.width);
  graph.add({ op: "scale_rows", inputs: [x, factor], outputs: [y], activation });
  return y;
}

/** A product per head; the last `tail` elements of each head pass by. */
export function headMatmul(graph: GraphBuilder, x: Value, weight: Weight, tail = 0): Value {
  const { experts: heads, rows, columns } = weight;
  assert(x.width === heads * (columns + tail), `${weight.name}: ${x.name} has width ${x.width}`);
  const y = graph.value(weight.name, x.rows, heads * (rows + tail));
  graph.add({ op: "head_matmul", inputs: [x], outputs: [y], weight, tail });
  return y;
}

/** The two parts of every head, `firstWidth` elements and the rest, each with all heads together. */
export function deinterleave(
  graph: GraphBuilder,
  x: Value,
  heads: number,
  firstWidth: number,
): [Value, Value] {
  assert(
    x.width % heads === 0 && firstWidth < x.width / heads,
    `${x.name}: ${heads} heads of ${firstWidth} + rest`,
  );
  const first = graph.value(`first(${x.name})`, x.rows, heads * firstWidth);
  const second = graph.value(`second(${x.name})`, x.rows, x.width - first.width);
  graph.add({ op: "deinterleave", inputs: [x], outputs: [first, second], heads });
  return [first, second];
}
