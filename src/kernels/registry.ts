/** The table of operations: one line each. Executors find the two forms of a node here. */
import { UserError } from "../common/errors.ts";
import { add, type AddNode } from "./add.ts";
import { type AttentionNode, attentionReference } from "./attention.ts";
import { type BlendNode, blendReference } from "./blend.ts";
import { type DeinterleaveNode, deinterleaveReference } from "./deinterleave.ts";
import { type DeltaNetNode, deltaNetReference } from "./delta_net.ts";
import { embed, type EmbedNode } from "./embed.ts";
import { type ExpertDownNode, expertDownReference } from "./expert_down.ts";
import { type ExpertGateUpNode, expertGateUpReference } from "./expert_gate_up.ts";
import { gated, type GatedNode } from "./gated.ts";
import { type HeadMatmulNode, headMatmulReference } from "./head_matmul.ts";
import { type MapNode, mapReference } from "./map.ts";
import { matmul, type MatmulNode } from "./matmul.ts";
import { norm, type NormNode } from "./norm.ts";
import type { GpuContext, Operation, ReferenceContext } from "./operation.ts";
import { rope, type RopeNode } from "./rope.ts";
import { type RouterNode, routerReference } from "./router.ts";
import { type ScaleRowsNode, scaleRowsReference } from "./scale_rows.ts";
import { type SelectiveScanNode, selectiveScanReference } from "./selective_scan.ts";
import { type ShortConvolutionNode, shortConvolutionReference } from "./short_convolution.ts";
import { type StateSpaceScanNode, stateSpaceScanReference } from "./state_space_scan.ts";
import { storeKv, type StoreKvNode } from "./store_kv.ts";
import { type TokenShiftNode, tokenShiftReference } from "./token_shift.ts";
import { type Wkv7Node, wkv7Reference } from "./wkv7.ts";

/** A node of any operation. */
export type Node =
  | AddNode
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
  attention: { op: "attention", reference: attentionReference },
  blend: { op: "blend", reference: blendReference },
  deinterleave: { op: "deinterleave", reference: deinterleaveReference },
  delta_net: { op: "delta_net", reference: deltaNetReference },
  embed,
  expert_down: { op: "expert_down", reference: expertDownReference },
  expert_gate_up: { op: "expert_gate_up", reference: expertGateUpReference },
  gated,
  head_matmul: { op: "head_matmul", reference: headMatmulReference },
  map: { op: "map", reference: mapReference },
  matmul,
  norm,
  rope,
  router: { op: "router", reference: routerReference },
  scale_rows: { op: "scale_rows", reference: scaleRowsReference },
  selective_scan: { op: "selective_scan", reference: selectiveScanReference },
  short_convolution: { op: "short_convolution", reference: shortConvolutionReference },
  state_space_scan: { op: "state_space_scan", reference: stateSpaceScanReference },
  store_kv: storeKv,
  token_shift: { op: "token_shift", reference: tokenShiftReference },
  wkv7: { op: "wkv7", reference: wkv7Reference },
};

/** Runs the readable form of a node. */
export function runReference(node: Node, context: ReferenceContext): void {
  operationOf(node).reference(node, context);
}

/** Records the dispatches of a node. */
export function recordNode(node: Node, gpu: GpuContext): void {
  const { op, record } = operationOf(node);
  if (!record) {
    throw new UserError(
      `Cannot run operation "${op}" on the device: it has no kernel; use --executor reference`,
    );
  }
  record(node, gpu);
}

function operationOf(node: Node): Operation<Node> {
  return OPERATIONS[node.op] as unknown as Operation<Node>;
}
