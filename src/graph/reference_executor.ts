/**
 * Runs a graph in plain TypeScript, float32, one node after the other: the oracle of every GPU test.
 *
 * Nothing is fused, planned or reused: each value gets its own array, each weight is decoded when first needed.
 */
import type { CacheTypes } from "../kernels/cache_types.ts";
import { cacheTypeOfSlot } from "../kernels/kv_cache.ts";
import type { Batch, Matrix, ReferenceContext, StateSlot, Value, Weight } from "../kernels/operation.ts";
import { runReference } from "../kernels/registry.ts";
import type { Graph } from "./builder.ts";

/** Where decoded weights come from. */
export interface WeightSource {
  /** All elements in float32, `[experts * rows, columns]`. */
  decode(weight: Weight): Float32Array;
  /** One row in float32; valid until the next call. */
  decodeRow(weight: Weight, row: number): Float32Array;
}

const FLOAT32: CacheTypes = { keys: "f32", values: "f32" };

/** State of one sequence, allocated when first touched: float32 that holds only numbers of its cache types. */
export class ReferenceState {
  readonly #slots = new Map<number, Float32Array>();

  /**
   * @param contextLength Rows of each KV slot.
   * @param cacheTypes What the numbers in the cache are rounded to.
   */
  constructor(readonly contextLength: number, readonly cacheTypes: CacheTypes = FLOAT32) {}

  /** Storage of a slot, zero at first. */
  slot(slot: StateSlot): Float32Array {
    let data = this.#slots.get(slot.id);
    if (!data) {
      data = new Float32Array(slot.kind === "kv" ? this.contextLength * slot.width : slot.width);
      this.#slots.set(slot.id, data);
    }
    return data;
  }

  /** Forgets everything. */
  clear(): void {
    this.#slots.clear();
  }

  /** Copies of all recurrent slots, for going back to this point later. */
  snapshotRecurrent(slots: readonly StateSlot[]): Map<number, Float32Array> {
    return new Map(slots.filter((s) => s.kind === "recurrent").map((s) => [s.id, this.slot(s).slice()]));
  }

  /** Puts back what {@linkcode snapshotRecurrent} copied. */
  restoreRecurrent(snapshot: ReadonlyMap<number, Float32Array>): void {
    for (const [id, data] of snapshot) this.#slots.set(id, data.slice());
  }
}

/** Runs `graph` for one batch and returns its result, `[rows, width]` packed. */
export function runReferenceGraph(
  graph: Graph,
  batch: Batch,
  weights: WeightSource,
  state: ReferenceState,
): Float32Array {
  const storage = new Map<Value, Float32Array>();
  const matrix = (value: Value): Matrix => {
    const { root, rows, width, offset, stride } = value;
    let data = storage.get(root);
    if (!data) storage.set(root, data = new Float32Array(root.rows * root.width));
    return { data, rows, width, offset, stride };
  };
  const context: ReferenceContext = {
    batch,
    matrix,
    weight: (weight) => weights.decode(weight),
    weightRow: (weight, row) => weights.decodeRow(weight, row),
    state: (slot) => state.slot(slot),
    cacheType: (slot) => cacheTypeOfSlot(slot, state.cacheTypes),
  };
  for (const node of graph.nodes) runReference(node, context);
  return pack(matrix(graph.result));
}

function pack(matrix: Matrix): Float32Array {
  const packed = new Float32Array(matrix.rows * matrix.width);
  for (let r = 0; r < matrix.rows; r++) {
    const start = matrix.offset + r * matrix.stride;
    packed.set(matrix.data.subarray(start, start + matrix.width), r * matrix.width);
  }
  return packed;
}
