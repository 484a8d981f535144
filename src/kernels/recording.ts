/** What the GPU forms of the operations share. */
import { assert } from "../common/assert.ts";
import type { DeviceMatrix, GpuContext, Span, Weight } from "./operation.ts";

/** Workgroups for a grid with one lane per element of a row in x and one row in y. */
export function elementGrid(width: number, workgroup: number, rows: number): [number, number, number] {
  return [Math.ceil(width / workgroup), rows, 1];
}

/**
 * Address of a vector of parameters (bias, norm weight, frequencies), 0 where there is none. Kernels read these as
 * float32, as every file stores them.
 */
export function parameters(gpu: GpuContext, weight: Weight | undefined): Span | 0 {
  if (!weight) return 0;
  const { format, span } = gpu.weight(weight);
  assert(format === "f32", `${weight.name} is stored as ${format}; kernels read vectors as f32`);
  return span;
}

/** The spans of those matrices that exist, for `reads` and `writes`. */
export function spansOf(...matrices: (DeviceMatrix | undefined)[]): Span[] {
  return matrices.flatMap((matrix) => matrix ? [matrix.span] : []);
}
