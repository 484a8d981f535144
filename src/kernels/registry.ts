/** The table of operations: one line each. Executors find the two forms of a node here. */
import { add, type AddNode } from "./add.ts";
import { attention, type AttentionNode } from "./attention.ts";
import { attentionDecode, type AttentionDecodeNode } from "./attention_decode.ts";
import { attentionInputs, type AttentionInputsNode } from "./attention_inputs.ts";
import { blend, type BlendNode } from "./blend.ts";
import { deinterleave, type DeinterleaveNode } from "./deinterleave.ts";
import { deltaNet, type DeltaNetNode } from "./delta_net.ts";
import { embed, type EmbedNode } from "./embed.ts";
import { expertDown, type ExpertDownNode } from "./expert_down.ts";
import { expertGateUp, type ExpertGateUpNode } from "./expert_gate_up.ts";
import { gated, type GatedNode } from "./gated.ts";
import { headMatmul, type HeadMatmulNode } from "./head_matmul.ts";
import { map, type MapNode } from "./map.ts";
import { matmul, type MatmulNode } from "./matmul.ts";
import { norm, type NormNode } from "./norm.ts";
import type { GpuContext, Operation, ReferenceContext } from "./operation.ts";
import { rope, type RopeNode } from "./rope.ts";
import { router, type RouterNode } from "./router.ts";
import { scaleRows, type ScaleRowsNode } from "./scale_rows.ts";
import { selectiveScan, type SelectiveScanNode } from "./selective_scan.ts";
import { shortConvolution, type ShortConvolutionNode } from "./short_convolution.ts";
import { stateSpaceScan, type StateSpaceScanNode } from "./state_space_scan.ts";
import { storeKv, type StoreKvNode } from "./store_kv.ts";
import { tokenShift, type TokenShiftNode } from "./token_shift.ts";
import { wkv7, type Wkv7Node } from "./wkv7.ts";

/** A node of any operation. */
export type Node =
  | AddNode
  | AttentionDecodeNode
  | AttentionInputsNode
  | AttentionNode
  | BlendNode
  | DeinterleaveNode
  | DeltaNetNode
  | EmbedNode
  | ExpertDownNode
  | ExpertGateUpNode
  | GatedNode
  | HeadMatmulNode
  | MapNode
  | MatmulNode
  | NormNode
  | RopeNode
  | RouterNode
  | ScaleRowsNode
  | SelectiveScanNode
  | ShortConvolutionNode
  | StateSpaceScanNode
  | StoreKvNode
  | TokenShiftNode
  | Wkv7Node;

type OperationTable = { readonly [K in Node["op"]]: Operation<Extract<Node, { op: K }>> };

/** Every operation by name. */
export const OPERATIONS: OperationTable = {
  add,
  attention,
  attention_decode: attentionDecode,
  attention_inputs: attentionInputs,
  blend,
  deinterleave,
  delta_net: deltaNet,
  embed,
  expert_down: expertDown,
  expert_gate_up: expertGateUp,
  gated,
  head_matmul: headMatmul,
  map,
  matmul,
  norm,
  rope,
  router,
  scale_rows: scaleRows,
  selective_scan: selectiveScan,
  short_convolution: shortConvolution,
  state_space_scan: stateSpaceScan,
  store_kv: storeKv,
  token_shift: tokenShift,
  wkv7,
};

/** Runs the readable form of a node. */
export function runReference(node: Node, context: ReferenceContext): void {
  operationOf(node).reference(node, context);
}

/** Records the dispatches of a node. */
export function recordNode(node: Node, gpu: GpuContext): void {
  operationOf(node).record(node, gpu);
}

function operationOf(node: Node): Operation<Node> {
  return OPERATIONS[node.op] as unknown as Operation<Node>;
}
