/** Row access for the reference implementations. */
import type { Matrix } from "./operation.ts";

/** Row `r` of a matrix as a view of its `width` elements. */
export function rowOf(matrix: Matrix, r: number): Float32Array {
  const start = matrix.offset + r * matrix.stride;
  return matrix.data.subarray(start, start + matrix.width);
}

/** Dot product of two equally long vectors, accumulated in double precision. */
export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}
