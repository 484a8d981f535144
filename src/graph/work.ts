/**
 * What a node has to compute, in multiplications and additions: the products with weights and, in attention, with cached keys and
 * values. Everything else is small beside these. The time of a prompt follows from it, as that of generation follows from what it
 * reads (`traffic.ts`).
 */
import { type AttentionNode, visible } from "../kernels/attention.ts";
import type { Node } from "../kernels/registry.ts";
import { weightsOf } from "./traffic.ts";

/** Multiplications and additions of `node`, where the cache holds up to `contextBucket` positions, the batch's own included. */
export function workOf(node: Node, contextBucket: number): number {
  if (node.op === "embed") return 0;
  if (node.op === "attention") return attentionWork(node, contextBucket);
  if (node.op === "attention_decode") return attentionWork(node.attention, contextBucket);
  const rows = node.inputs[0].rows;
  // A token multiplies by the matrices of the experts that it chose.
  const used = node.op === "expert_gate_up" || node.op === "expert_down" ? node.inputs[1].width : 1;
  return weightsOf(node).reduce((sum, weight) => sum + 2 * rows * used * weight.rows * weight.columns, 0);
}

function attentionWork(node: AttentionNode, contextBucket: number): number {
  const { heads, headDim, valueDim } = node;
  const { rows } = node.inputs[0];
  const { first, end } = node.encoder
    ? { first: 0, end: contextBucket }
    : visible(node, Math.max(rows, contextBucket) - 1, contextBucket);
  return 2 * rows * heads * (headDim + valueDim) * (end - first);
}

/** Nodes that follow each other, and what they have to compute together. */
export interface Piece {
  readonly nodes: readonly Node[];
  readonly work: number;
}

/** Cuts `nodes` into pieces of at most `pieceWork`; a node that has more is a piece by itself. */
export function cutByWork(nodes: readonly Node[], contextBucket: number, pieceWork: number): Piece[] {
  const pieces: { nodes: Node[]; work: number }[] = [];
  for (const node of nodes) {
    const work = workOf(node, contextBucket);
    const last = pieces.at(-1);
    if (last && last.work + work <= pieceWork) {
      last.nodes.push(node);
      last.work += work;
    } else pieces.push({ nodes: [node], work });
  }
  return pieces;
}
