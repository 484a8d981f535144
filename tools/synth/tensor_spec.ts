/**
 * What a synthetic model consists of: metadata, and tensors described by what their values are like. Values are chosen so
 * that activations stay near 1: a matrix of standard deviation `1 / sqrt(columns)` keeps the size of what it multiplies.
 */
import type { MetadataEntry } from "../../src/gguf/mod.ts";
import type { Random } from "./random.ts";

/** A tensor without its data. */
export interface TensorSpec {
  readonly name: string;
  /** Extents in ggml's order: the first is the row length. */
  readonly dims: readonly number[];
  /** `matrix`: in the format that the file's mix says. `plain`: float32, random. `exact`: float32, computed one by one. */
  readonly values:
    | { readonly kind: "matrix" | "plain"; readonly deviation: number }
    | { readonly kind: "exact"; readonly value: (index: number, random: Random) => number };
}

/** A model without its data. */
export interface ModelSpec {
  readonly metadata: readonly MetadataEntry[];
  readonly tensors: readonly TensorSpec[];
}

/** A weight matrix `[rows, columns]`, or one per expert; `gain` scales the result. */
export function matrix(
  name: string,
  columns: number,
  rows: number,
  options: { gain?: number; experts?: number } = {},
): TensorSpec {
  const { gain = 1, experts } = options;
  const dims = experts === undefined ? [columns, rows] : [columns, rows, experts];
  return { name, dims, values: { kind: "matrix", deviation: gain / Math.sqrt(columns) } };
}

/** A matrix that is never quantized: a router, a convolution. */
export function plainMatrix(name: string, columns: number, rows: number): TensorSpec {
  return { name, dims: [columns, rows], values: { kind: "plain", deviation: 1 / Math.sqrt(columns) } };
}

/** The weight of a norm: around `mean`. */
export function normWeight(name: string, width: number, mean = 1): TensorSpec {
  return exact(name, [width], (_, random) => mean * (1 + 0.1 * random.normal()));
}

/** A bias, or another small addend: around 0. */
export function bias(name: string, dims: readonly number[], deviation = 0.1): TensorSpec {
  return exact(name, dims, (_, random) => deviation * random.normal());
}

/** A float32 tensor whose elements are computed one by one. */
export function exact(
  name: string,
  dims: readonly number[],
  value: (index: number, random: Random) => number,
): TensorSpec {
  return { name, dims, values: { kind: "exact", value } };
}

/** Gain of a matrix whose result is added to the residual: all of a model's additions together come to about 1. */
export function residualGain(layers: number): number {
  return 1 / Math.sqrt(2 * layers);
}
