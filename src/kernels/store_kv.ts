/** Appends the keys and values of a batch to the KV cache of a layer. */
import { cacheBlock, cacheTypeNumber, throughCache } from "./kv_cache.ts";
import { rowOf } from "./matrix.ts";
import type {
  DeviceMatrix,
  DeviceState,
  GpuContext,
  NodeBase,
  Operation,
  ReferenceContext,
  StateSlot,
  Value,
} from "./operation.ts";
import { elementGrid, spansOf } from "./recording.ts";

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

/** Reference: one copy per token and slot, rounded as the slot's type does. */
export function storeKvReference(node: StoreKvNode, context: ReferenceContext): void {
  for (const [value, slot] of [[node.inputs[0], node.keys], [node.inputs[1], node.values]] as const) {
    if (!value || !slot) continue;
    const x = context.matrix(value);
    const cache = context.state(slot);
    for (let r = 0; r < x.rows; r++) {
      const row = throughCache(context.cacheType(slot), rowOf(x, r));
      cache.set(row, (context.batch.position + r) * slot.width);
    }
  }
}

/** GPU: one lane per element, or per block where the type has blocks; numbers beyond a type's range saturate. */
function record(node: StoreKvNode, gpu: GpuContext): void {
  const k = gpu.matrix(node.inputs[0]);
  const v = node.inputs[1] && gpu.matrix(node.inputs[1]);
  const keys = gpu.state(node.keys);
  const values = node.values && gpu.state(node.values);
  const workgroup = gpu.kernels.workgroup();
  const constants = {
    WORKGROUP: workgroup,
    KEY_TYPE: cacheTypeNumber(keys.type),
    VALUE_TYPE: cacheTypeNumber(values?.type ?? keys.type),
  };
  const lanes = (x: DeviceMatrix | undefined, state: DeviceState | undefined) =>
    x && state ? x.width / cacheBlock(state.type) : 0;
  const [x, y] = elementGrid(Math.max(lanes(k, keys), lanes(v, values)), workgroup, k.rows);
  gpu.recorder.dispatch(gpu.kernels.get("store_kv", { constants }), {
    workgroups: [x, y, v ? 2 : 1],
    push: {
      step: gpu.step,
      k: k.span,
      v: v?.span ?? 0,
      keys: keys.span,
      values: values?.span ?? 0,
      keyWidth: k.width,
      valueWidth: v?.width ?? 0,
      kStride: k.stride,
      vStride: v?.stride ?? 0,
    },
    reads: [gpu.step, ...spansOf(k, v)],
    writes: values ? [keys.span, values.span] : [keys.span],
  });
}

/** `store_kv`. */
export const storeKv: Operation<StoreKvNode> = { op: "store_kv", reference: storeKvReference, record };
