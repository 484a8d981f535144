/** The table of operations: one line each. Executors find the two forms of a node here. */
import { type AddNode, addReference } from "./add.ts";
import { type AttentionNode, attentionReference } from "./attention.ts";
import { type EmbedNode, embedReference } from "./embed.ts";
import { type GatedNode, gatedReference } from "./gated.ts";
import { type MapNode, mapReference } from "./map.ts";
import { type MatmulNode, matmulReference } from "./matmul.ts";
import { type NormNode, normReference } from "./norm.ts";
import type { ReferenceContext } from "./operation.ts";
import { type RopeNode, ropeReference } from "./rope.ts";
import { type StoreKvNode, storeKvReference } from "./store_kv.ts";

/** A node of any operation. */
export type Node =
  | AddNode
  | AttentionNode
  | EmbedNode
  | GatedNode
  | MapNode
  | MatmulNode
  | NormNode
  | RopeNode
  | StoreKvNode;

type ReferenceTable = {
  [K in Node["op"]]: (node: Extract<Node, { op: K }>, context: ReferenceContext) => void;
};

const REFERENCES: ReferenceTable = {
  add: addReference,
  attention: attentionReference,
  embed: embedReference,
  gated: gatedReference,
  map: mapReference,
  matmul: matmulReference,
  norm: normReference,
  rope: ropeReference,
  store_kv: storeKvReference,
};

/** Runs the readable form of a node. */
export function runReference(node: Node, context: ReferenceContext): void {
  const reference = REFERENCES[node.op] as (node: Node, context: ReferenceContext) => void;
  reference(node, context);
}
