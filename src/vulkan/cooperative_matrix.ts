/**
 * Choosing a tile shape for cooperative matrices (VK_KHR_cooperative_matrix). A device reports a list of shapes with
 * their component types; having the extension says nothing about which are there.
 */
import { COMPONENT_TYPES, SCOPE } from "../../ffi/enums.ts";

/** Component type of a matrix, for example `"f16"`. */
export type ComponentType = (typeof COMPONENT_TYPES)[number] | "other";

/** result [m, n] = a [m, k] x b [k, n] + c [m, n]. */
export interface CoopmatShape {
  /** Rows of a and of the result. */
  m: number;
  /** Columns of b and of the result. */
  n: number;
  /** Columns of a, rows of b. */
  k: number;
  /** Type of a. */
  a: ComponentType;
  /** Type of b. */
  b: ComponentType;
  /** Type of the addend. */
  c: ComponentType;
  /** Type of the result. */
  result: ComponentType;
  /** `VkScopeKHR`: who owns one matrix. */
  scope: number;
  /** Whether integer results saturate. */
  saturating: boolean;
}

/** Name of a `VkComponentTypeKHR`. */
export function componentType(value: number): ComponentType {
  return COMPONENT_TYPES[value] ?? "other";
}

/**
 * The shape for f16 inputs with f32 accumulation owned by one subgroup: 16x16x16 if listed, else the one with the
 * most multiplications. Null when none is listed; a device without one multiplies in ordinary registers.
 */
export function chooseCoopmatShape(shapes: readonly CoopmatShape[]): CoopmatShape | null {
  const usable = shapes.filter((s) =>
    s.scope === SCOPE.SUBGROUP && s.a === "f16" && s.b === "f16" && s.c === "f32" && s.result === "f32"
  );
  const work = (s: CoopmatShape) => s.m === 16 && s.n === 16 && s.k === 16 ? Infinity : s.m * s.n * s.k;
  return usable.reduce<CoopmatShape | null>(
    (best, s) => best === null || work(s) > work(best) ? s : best,
    null,
  );
}
