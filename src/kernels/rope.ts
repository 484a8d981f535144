/**
 * Rotary position embedding (Su et al. 2021, https://arxiv.org/abs/2104.09864).
 *
 * The kernel knows nothing of scaling schemes: linear, llama-3, YaRN and LongRoPE scaling all end in a table of
 * angles per position (`frequencies`) and one factor on the rotated values (`magnitude`); see `models/parts/rope.ts`.
 */
import type { GpuContext, NodeBase, Operation, ReferenceContext, Value, Weight } from "./operation.ts";
import { rowOf } from "./matrix.ts";
import { elementGrid, parameters, spansOf } from "./recording.ts";

/** `adjacent`: pairs (2i, 2i+1), GPT-J and LLaMA files. `halves`: pairs (i, i + rotaryDim/2), GPT-NeoX. */
export type RopePairing = "adjacent" | "halves";

/** Rotates the first `rotaryDim` elements of each head by `position * frequencies[i]`; the rest is copied. */
export interface RopeNode extends NodeBase {
  readonly op: "rope";
  /** `[rows, heads * headDim]` */
  readonly inputs: readonly [Value];
  /** `[rows, heads * headDim]` */
  readonly outputs: readonly [Value];
  readonly headDim: number;
  /** First rotated element of each head (latent attention rotates the tail). */
  readonly rotaryOffset: number;
  /** Even, at most `headDim - rotaryOffset`. */
  readonly rotaryDim: number;
  readonly pairing: RopePairing;
  /** `[rotaryDim / 2]`, radians per position. */
  readonly frequencies: Weight;
  /** Factor on the rotated elements. */
  readonly magnitude: number;
}

/** Reference: angle in double precision from the float32 product, as the float32 models compute it. */
export function ropeReference(node: RopeNode, context: ReferenceContext): void {
  const x = context.matrix(node.inputs[0]);
  const y = context.matrix(node.outputs[0]);
  const frequencies = context.weight(node.frequencies);
  const half = node.rotaryDim / 2;
  const [step, partner] = node.pairing === "adjacent" ? [2, 1] : [1, half];
  for (let r = 0; r < x.rows; r++) {
    const row = rowOf(x, r);
    const into = rowOf(y, r);
    const position = context.batch.position + r;
    into.set(row);
    for (let head = node.rotaryOffset; head < x.width; head += node.headDim) {
      for (let i = 0; i < half; i++) {
        const angle = Math.fround(position * frequencies[i]);
        const cos = Math.cos(angle) * node.magnitude;
        const sin = Math.sin(angle) * node.magnitude;
        const a = row[head + i * step];
        const b = row[head + i * step + partner];
        into[head + i * step] = a * cos - b * sin;
        into[head + i * step + partner] = a * sin + b * cos;
      }
    }
  }
}

/** GPU: one lane per rotated pair or copied element. */
function record(node: RopeNode, gpu: GpuContext): void {
  const x = gpu.matrix(node.inputs[0]);
  const y = gpu.matrix(node.outputs[0]);
  const heads = x.width / node.headDim;
  const workgroup = gpu.kernels.workgroup();
  const constants = { WORKGROUP: workgroup, ADJACENT: node.pairing === "adjacent" };
  gpu.recorder.dispatch(gpu.kernels.get("rope", { constants }), {
    workgroups: elementGrid(heads * (node.headDim - node.rotaryDim / 2), workgroup, x.rows),
    push: {
      step: gpu.step,
      x: x.span,
      y: y.span,
      frequencies: parameters(gpu, node.frequencies),
      heads,
      headDim: node.headDim,
      rotaryOffset: node.rotaryOffset,
      rotaryDim: node.rotaryDim,
      xStride: x.stride,
      yStride: y.stride,
      magnitude: node.magnitude,
    },
    reads: [gpu.step, ...spansOf(x)],
    writes: spansOf(y),
  });
}

/** `rope`. */
export const rope: Operation<RopeNode> = { op: "rope", reference: ropeReference, record };
