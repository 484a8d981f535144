/** The table of operations: one line each. Executors find the two forms of a node here. */
import { addReference, type AddNode } from "./add.ts";
import { attentionReference, type AttentionNode } from "./attention.ts";
import { embedReference, type EmbedNode } from "./embed.ts";
import { gatedReference, type GatedNode } from "./gated.ts";
import { matmulReference, type MatmulNode } from "./matmul.ts";
import { normReference, type NormNode } from "./norm.ts";
import type { ReferenceContext } from "./operation.ts";
import { ropeReference, type RopeNode } from "./rope.ts";
import { storeKvReference, type StoreKvNode } from "./store_kv.ts";

/** A node of any operation. */
export type Node = AddNode | AttentionNode | EmbedNode | GatedNode | MatmulNode | NormNode | RopeNode | StoreKvNode;

type ReferenceTable = { [K in Node["op"]]: (node: Extract<Node, { op: K }>, context: ReferenceContext) => void };

const REFERENCES: ReferenceTable = {
  add: addReference,
  attention: attentionReference,
  embed: embedReference,
  gated: gatedReference,
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
