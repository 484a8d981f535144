/** The table of operations: one line each. Executors find the two forms of a node here. */
import { type AddNode, addReference } from "./add.ts";
import { type AttentionNode, attentionReference } from "./attention.ts";
import { type BlendNode, blendReference } from "./blend.ts";
import { type DeinterleaveNode, deinterleaveReference } from "./deinterleave.ts";
import { type DeltaNetNode, deltaNetReference } from "./delta_net.ts";
import { type EmbedNode, embedReference } from "./embed.ts";
import { type ExpertDownNode, expertDownReference } from "./expert_down.ts";
import { type ExpertGateUpNode, expertGateUpReference } from "./expert_gate_up.ts";
import { type GatedNode, gatedReference } from "./gated.ts";
import { type HeadMatmulNode, headMatmulReference } from "./head_matmul.ts";
import { type MapNode, mapReference } from "./map.ts";
import { type MatmulNode, matmulReference } from "./matmul.ts";
import { type NormNode, normReference } from "./norm.ts";
import type { ReferenceContext } from "./operation.ts";
import { type RopeNode, ropeReference } from "./rope.ts";
import { type RouterNode, routerReference } from "./router.ts";
import { type ScaleRowsNode, scaleRowsReference } from "./scale_rows.ts";
import { type SelectiveScanNode, selectiveScanReference } from "./selective_scan.ts";
import { type ShortConvolutionNode, shortConvolutionReference } from "./short_convolution.ts";
import { type StateSpaceScanNode, stateSpaceScanReference } from "./state_space_scan.ts";
import { type StoreKvNode, storeKvReference } from "./store_kv.ts";
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

type ReferenceTable = {
  [K in Node["op"]]: (node: Extract<Node, { op: K }>, context: ReferenceContext) => void;
};

const REFERENCES: ReferenceTable = {
  add: addReference,
  attention: attentionReference,
  blend: blendReference,
  deinterleave: deinterleaveReference,
  delta_net: deltaNetReference,
  embed: embedReference,
  expert_down: expertDownReference,
  expert_gate_up: expertGateUpReference,
  gated: gatedReference,
  head_matmul: headMatmulReference,
  map: mapReference,
  matmul: matmulReference,
  norm: normReference,
  rope: ropeReference,
  router: routerReference,
  scale_rows: scaleRowsReference,
  selective_scan: selectiveScanReference,
  short_convolution: shortConvolutionReference,
  state_space_scan: stateSpaceScanReference,
  store_kv: storeKvReference,
  token_shift: tokenShiftReference,
  wkv7: wkv7Reference,
};

/** Runs the readable form of a node. */
export function runReference(node: Node, context: ReferenceContext): void {
  const reference = REFERENCES[node.op] as (node: Node, context: ReferenceContext) => void;
  reference(node, context);
}
