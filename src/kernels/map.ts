/**
 * A function of one number applied to every element: soft caps, multipliers, clamps and the activations that no product carries.
 *
 * Soft cap: Gemma 2, https://arxiv.org/abs/2408.00118, section 2. xIELU: https://arxiv.org/abs/2411.13010.
 */
import type { GpuContext, NodeBase, Operation, ReferenceContext, Value } from "./operation.ts";
import { activate, type Activation, activationIndex } from "./activations.ts";
import { rowOf } from "./matrix.ts";
import { elementGrid, spansOf } from "./recording.ts";

/** What is applied; `clamp` and `xielu` have parameters of their own. */
export type MapFunction =
  | { readonly kind: Activation }
  | { readonly kind: "clamp"; readonly low: number; readonly high: number }
  /** `positive x^2 + beta x` above zero, `negative (expm1(min(x, epsilon)) - x) + beta x` below. */
  | {
    readonly kind: "xielu";
    readonly positive: number;
    readonly negative: number;
    readonly beta: number;
    readonly epsilon: number;
  };

/** `y = scale * f(inner * x)`. */
export interface MapNode extends NodeBase {
  readonly op: "map";
  /** `[rows, width]` */
  readonly inputs: readonly [Value];
  /** `[rows, width]` */
  readonly outputs: readonly [Value];
  readonly function: MapFunction;
  readonly inner: number;
  readonly scale: number;
}

/** Reference: element by element. */
export function mapReference(node: MapNode, context: ReferenceContext): void {
  const x = context.matrix(node.inputs[0]);
  const y = context.matrix(node.outputs[0]);
  for (let r = 0; r < y.rows; r++) {
    const row = rowOf(x, r);
    const into = rowOf(y, r);
    for (let i = 0; i < into.length; i++) into[i] = node.scale * applied(node.function, node.inner * row[i]);
  }
}

function applied(f: MapFunction, x: number): number {
  switch (f.kind) {
    case "clamp":
      return Math.min(f.high, Math.max(f.low, x));
    case "xielu":
      return f.beta * x +
        (x > 0 ? f.positive * x * x : f.negative * (Math.expm1(Math.min(x, f.epsilon)) - x));
    default:
      return activate(f.kind, x);
  }
}

const CLAMP = 100; // as map.comp numbers what is no activation
const XIELU = 101;

/** GPU: one lane per element. */
function record(node: MapNode, gpu: GpuContext): void {
  const x = gpu.matrix(node.inputs[0]);
  const y = gpu.matrix(node.outputs[0]);
  const f = node.function;
  const workgroup = gpu.kernels.workgroup();
  const index = f.kind === "clamp" ? CLAMP : f.kind === "xielu" ? XIELU : activationIndex(f.kind);
  const none = { low: 0, high: 0, positive: 0, negative: 0, beta: 0, epsilon: 0 };
  const { low, high, positive, negative, beta, epsilon } = { ...none, ...f };
  gpu.recorder.dispatch(gpu.kernels.get("map", { constants: { WORKGROUP: workgroup, FUNCTION: index } }), {
    workgroups: elementGrid(y.width, workgroup, y.rows),
    push: {
      x: x.span,
      y: y.span,
      width: y.width,
      xStride: x.stride,
      yStride: y.stride,
      inner: node.inner,
      scale: node.scale,
      low,
      high,
      positive,
      negative,
      beta,
      epsilon,
    },
    reads: spansOf(x),
    writes: spansOf(y),
  });
}

/** `map`. */
export const map: Operation<MapNode> = { op: "map", reference: mapReference, record };
