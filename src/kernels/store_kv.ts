/** Appends the keys and values of a batch to the KV cache of a layer. */
import type { NodeBase, ReferenceContext, StateSlot, Value } from "./operation.ts";
import { rowOf } from "./matrix.ts";

/** Writes row r of `k` and `v` to row `position + r` of their slots; `v` is absent where the values are part of the keys (latent attention). */
export interface StoreKvNode extends NodeBase {
  readonly op: "store_kv";
  /** k `[rows, kvHeads * headDim]`, v `[rows, kvHeads * valueDim]` */
  readonly inputs: readonly [Value, Value] | readonly [Value];
  readonly outputs: readonly [];
  readonly keys: StateSlot;
  /** Present with `v`. */
  readonly values?: StateSlot;
}

/** Reference: one copy per token and slot. */
export function storeKvReference(node: StoreKvNode, context: ReferenceContext): void {
  for (const [value, slot] of [[node.inputs[0], node.keys], [node.inputs[1], node.values]] as const) {
    if (!value || !slot) continue;
    const x = context.matrix(value);
    const cache = context.state(slot);
    for (let r = 0; r < x.rows; r++) cache.set(rowOf(x, r), (context.batch.position + r) * slot.width);
  }
}
