/**
 * Normalisation of rows or of equal groups of a row (heads).
 *
 * RMS norm: Zhang & Sennrich 2019, https://arxiv.org/abs/1910.07467. Layer norm: Ba et al. 2016,
 * https://arxiv.org/abs/1607.06450. L2: `x / max(|x|, epsilon)`, used by gated delta nets.
 */
import type { GpuContext, NodeBase, Operation, ReferenceContext, Value, Weight } from "./operation.ts";
import { rowOf } from "./matrix.ts";
import { parameters, spansOf } from "./recording.ts";
import { teamFor } from "./teams.ts";

/** `rms`: by the root of the mean square. `layer`: mean removed, by the standard deviation. `l2`: by the length. */
export type NormKind = "rms" | "layer" | "l2";

/** `y = normalise(x) * weight + bias`, each group of `groupWidth` elements on its own. */
export interface NormNode extends NodeBase {
  readonly op: "norm";
  /** `[rows, width]` */
  readonly inputs: readonly [Value];
  /** `[rows, width]` */
  readonly outputs: readonly [Value];
  readonly kind: NormKind;
  /** Divides the width; the width itself for a norm over whole rows. */
  readonly groupWidth: number;
  readonly epsilon: number;
  /** `[groupWidth]`, shared by all groups, or `[width]`, one per element. */
  readonly weight?: Weight;
  /** Same length rule as `weight`. */
  readonly bias?: Weight;
}

/** Reference: two passes per group. */
export function normReference(node: NormNode, context: ReferenceContext): void {
  const x = context.matrix(node.inputs[0]);
  const y = context.matrix(node.outputs[0]);
  const weight = node.weight && context.weight(node.weight);
  const bias = node.bias && context.weight(node.bias);
  for (let r = 0; r < x.rows; r++) {
    const row = rowOf(x, r);
    const into = rowOf(y, r);
    for (let start = 0; start < x.width; start += node.groupWidth) {
      const group = row.subarray(start, start + node.groupWidth);
      const { mean, factor } = statistics(group, node.kind, node.epsilon);
      for (let i = 0; i < group.length; i++) {
        let value = (group[i] - mean) * factor;
        if (weight) value *= weight[(start + i) % weight.length];
        if (bias) value += bias[(start + i) % bias.length];
        into[start + i] = value;
      }
    }
  }
}

function statistics(group: Float32Array, kind: NormKind, epsilon: number): { mean: number; factor: number } {
  let mean = 0;
  if (kind === "layer") {
    for (const value of group) mean += value;
    mean /= group.length;
  }
  let squares = 0;
  for (const value of group) squares += (value - mean) ** 2;
  if (kind === "l2") return { mean, factor: 1 / Math.max(Math.sqrt(squares), epsilon) };
  return { mean, factor: 1 / Math.sqrt(squares / group.length + epsilon) };
}

const KINDS: readonly NormKind[] = ["rms", "layer", "l2"]; // as norm.comp numbers them

/** GPU: a team of lanes per group. */
function record(node: NormNode, gpu: GpuContext): void {
  const x = gpu.matrix(node.inputs[0]);
  const y = gpu.matrix(node.outputs[0]);
  const groups = x.width / node.groupWidth;
  const { workgroup, team } = teamFor(gpu.kernels, node.groupWidth, groups);
  const constants = { WORKGROUP: workgroup, TEAM: team, KIND: KINDS.indexOf(node.kind) };
  gpu.recorder.dispatch(gpu.kernels.get("norm", { constants }), {
    workgroups: [Math.ceil(groups / (workgroup / team)), x.rows, 1],
    push: {
      x: x.span,
      y: y.span,
      weight: parameters(gpu, node.weight),
      bias: parameters(gpu, node.bias),
      groups,
      groupWidth: node.groupWidth,
      xStride: x.stride,
      yStride: y.stride,
      weightLength: lengthOf(node.weight),
      biasLength: lengthOf(node.bias),
      epsilon: node.epsilon,
    },
    reads: spansOf(x),
    writes: spansOf(y),
  });
}

function lengthOf(weight: Weight | undefined): number {
  return weight ? weight.rows * weight.columns : 1;
}

/** `norm`. */
export const norm: Operation<NormNode> = { op: "norm", reference: normReference, record };
