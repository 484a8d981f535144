/**
 * Chooses the experts of each token from the router's logits and gives each its weight.
 *
 * Softmax over all experts: Shazeer et al. 2017, https://arxiv.org/abs/1701.06538, and most models since; over the
 * chosen ones: Mixtral, https://arxiv.org/abs/2401.04088. Sigmoid scores with a bias that takes part in the choice
 * only, and groups of experts of which the best few are considered: DeepSeek-V3, https://arxiv.org/abs/2412.19437,
 * equations 12 to 16.
 */
import type { GpuContext, NodeBase, Operation, ReferenceContext, Value, Weight } from "./operation.ts";
import { DOT_FLOATS, type DotSizes, dotSizes } from "./dot_plan.ts";
import { matmul, type MatmulNode } from "./matmul.ts";
import { rowOf } from "./matrix.ts";
import { parameters, spansOf } from "./recording.ts";

/** How logits become scores; `softmax_chosen` takes the softmax after the choice, over the chosen logits. */
export type RouterScoring = "softmax" | "softmax_chosen" | "sigmoid";

/** Experts in equal groups of neighbours; only those of the best `used` groups can be chosen. */
export interface RouterGroups {
  readonly count: number;
  readonly used: number;
  /** A group's score: its best expert, or the sum of its best two. */
  readonly score: "best" | "best_two";
}

/** The product that gives the logits, `scale * (W x' + bias)` as `matmul` defines it. */
export type RouterProduct = Pick<MatmulNode, "weight" | "bias" | "scale" | "norm">;

/** `ids[t] = top k of (score + selectionBias)`, `weights[t] = scale * expertScales[id] * score[id] (/ sum of scores)`. */
export interface RouterNode extends NodeBase {
  readonly op: "router";
  /** logits `[rows, experts]`, or with a product its x. */
  readonly inputs: readonly [Value];
  /** ids `[rows, used]` as whole numbers, best first, and weights `[rows, used]`; with a product also the logits. */
  readonly outputs: readonly [Value, Value] | readonly [Value, Value, Value];
  readonly product?: RouterProduct;
  readonly scoring: RouterScoring;
  readonly groups?: RouterGroups;
  /** `[experts]`, added to the scores for the choice alone. */
  readonly selectionBias?: Weight;
  /** Whether the weights of the chosen experts are divided by their sum. */
  readonly renormalize: boolean;
  readonly scale: number;
  /** `[experts]`: one more factor per expert. */
  readonly expertScales?: Weight;
}

/** Reference: sorts the experts of each row; of equal scores the lower id wins. */
export function routerReference(node: RouterNode, context: ReferenceContext): void {
  const product = productOf(node);
  if (product) matmul.reference(product, context);
  const logits = context.matrix(logitsOf(node));
  const ids = context.matrix(node.outputs[0]);
  const weights = context.matrix(node.outputs[1]);
  const bias = node.selectionBias && context.weight(node.selectionBias);
  const scales = node.expertScales && context.weight(node.expertScales);
  for (let r = 0; r < logits.rows; r++) {
    const scores = scoresOf(rowOf(logits, r), node.scoring);
    const ranked = bias ? scores.map((score, expert) => score + bias[expert]) : scores;
    const chosen = topIndices(node.groups ? withoutWeakGroups(ranked, node.groups) : ranked, ids.width);
    let factors = Array.from(chosen, (expert) => scores[expert]);
    if (node.scoring === "softmax_chosen") factors = softmax(factors);
    if (node.renormalize) {
      const sum = factors.reduce((total, factor) => total + factor, 0);
      factors = factors.map((factor) => sum > 0 ? factor / sum : 0);
    }
    rowOf(ids, r).set(chosen);
    rowOf(weights, r).set(factors.map((factor, i) => factor * node.scale * (scales ? scales[chosen[i]] : 1)));
  }
}

function scoresOf(logits: Float32Array, scoring: RouterScoring): number[] {
  switch (scoring) {
    case "softmax":
      return softmax(logits);
    case "softmax_chosen":
      return Array.from(logits);
    case "sigmoid":
      return Array.from(logits, (x) => 1 / (1 + Math.exp(-x)));
  }
}

function softmax(logits: ArrayLike<number>): number[] {
  const max = Array.from(logits).reduce((a, b) => Math.max(a, b), -Infinity);
  const powers = Array.from(logits, (x) => Math.exp(x - max));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => power / sum);
}

/** The scores with minus infinity for every expert outside the best groups. */
function withoutWeakGroups(scores: readonly number[], groups: RouterGroups): number[] {
  const size = scores.length / groups.count;
  const groupScores = Array.from({ length: groups.count }, (_, group) => {
    const sorted = scores.slice(group * size, (group + 1) * size).sort((a, b) => b - a);
    return groups.score === "best" ? sorted[0] : sorted[0] + (sorted[1] ?? 0);
  });
  const kept = new Set(topIndices(groupScores, groups.used));
  return scores.map((score, expert) => kept.has(Math.floor(expert / size)) ? score : -Infinity);
}

/** Indices of the `count` largest values, largest first. */
function topIndices(values: readonly number[], count: number): number[] {
  return values.map((_, i) => i).sort((a, b) => values[b] - values[a] || a - b).slice(0, count);
}

/** The value that holds the logits. */
function logitsOf({ inputs, outputs }: RouterNode): Value {
  return outputs[2] ?? inputs[0];
}

/** The product as a node of its own. */
function productOf({ inputs, outputs, product }: RouterNode): MatmulNode | undefined {
  const logits = outputs[2];
  return product && logits && { op: "matmul", inputs, outputs: [logits], activation: "none", ...product };
}

const SCORINGS: readonly RouterScoring[] = ["softmax", "softmax_chosen", "sigmoid"]; // as choose_experts.glsl numbers them

/** GPU: one subgroup per row, which takes the best expert `used` times; with a product, in its last workgroup where that can be. */
function record(node: RouterNode, gpu: GpuContext): void {
  const product = productOf(node);
  const sizes = product && sizesOfProduct(product, gpu);
  if (product && sizes) return recordWithProduct(node, product, sizes, gpu);
  if (product) matmul.record(product, gpu);
  const logits = gpu.matrix(logitsOf(node));
  const [ids, weights] = node.outputs.map((value) => gpu.matrix(value));
  const constants = { WORKGROUP: gpu.kernels.subgroup, ...choiceConstants(node) };
  gpu.recorder.dispatch(gpu.kernels.get("router", { constants }), {
    workgroups: [logits.rows, 1, 1],
    push: {
      logits: logits.span,
      ids: ids.span,
      weights: weights.span,
      selectionBias: parameters(gpu, node.selectionBias),
      expertScales: parameters(gpu, node.expertScales),
      logitsStride: logits.stride,
      idsStride: ids.stride,
      weightsStride: weights.stride,
      weightScale: node.scale,
    },
    reads: spansOf(logits),
    writes: spansOf(ids, weights),
  });
}

function choiceConstants(node: RouterNode) {
  return {
    EXPERTS: logitsOf(node).width,
    USED: node.outputs[0].width,
    SCORING: SCORINGS.indexOf(node.scoring),
    GROUPS: node.groups?.count ?? 1,
    GROUPS_USED: node.groups?.used ?? 1,
    BEST_TWO: node.groups?.score === "best_two",
    RENORMALIZE: node.renormalize,
  };
}

/** Shared memory of a product beside its x, and per expert of the choice. */
const PRODUCT_BYTES = 12 * 1024;
const EXPERT_BYTES = 8;

/** The sizes of a product whose last workgroup chooses; undefined where the choice has to be a dispatch of its own. */
function sizesOfProduct({ inputs: [input], weight }: MatmulNode, gpu: GpuContext): DotSizes | undefined {
  const x = gpu.matrix(input);
  const { format, rows, columns } = weight;
  const bytes = PRODUCT_BYTES + 4 * columns + EXPERT_BYTES * rows;
  const fits = DOT_FLOATS.includes(format) && bytes <= gpu.kernels.device.info.maxSharedBytes;
  if (x.rows > 1 || !fits) return undefined;
  return dotSizes(gpu.kernels, {
    format,
    rows,
    columns,
    matrices: 1,
    tokens: 1,
    aligned: x.span.offset % 16 === 0,
  });
}

function recordWithProduct(node: RouterNode, product: MatmulNode, sizes: DotSizes, gpu: GpuContext): void {
  const [ids, weights, logits] = node.outputs.map((value) => gpu.matrix(value));
  const x = gpu.matrix(node.inputs[0]);
  const { weight, bias, norm, scale } = product;
  const device = gpu.weight(weight);
  const tickets = gpu.tickets(1);
  const constants = { ...sizes.constants, NORM: norm !== undefined, ...choiceConstants(node) };
  gpu.recorder.dispatch(gpu.kernels.get("matvec_dot_router", { format: device.format, constants }), {
    workgroups: [sizes.rowWorkgroups, 1, 1],
    push: {
      weight: device.span,
      x: x.span,
      logits: logits.span,
      bias: parameters(gpu, bias),
      normWeight: parameters(gpu, norm?.weight),
      tickets,
      ids: ids.span,
      weights: weights.span,
      selectionBias: parameters(gpu, node.selectionBias),
      expertScales: parameters(gpu, node.expertScales),
      blocks: device.blocks,
      columns: weight.columns,
      scale,
      epsilon: norm?.epsilon ?? 0,
      weightScale: node.scale,
    },
    reads: spansOf(x),
    writes: [tickets, ...spansOf(ids, weights, logits)],
    label: weight.name,
  });
}

/** `router`. */
export const router: Operation<RouterNode> = { op: "router", reference: routerReference, record };
