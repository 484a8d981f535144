/** Embedding lookup: one row of a table per token, chosen by token id, by position, or fixed. */
import type { NodeBase, ReferenceContext, Value, Weight } from "./operation.ts";
import { rowOf } from "./matrix.ts";

/** How a row of the table is chosen. */
export type EmbedIndex =
  | { readonly by: "token" }
  /** Row `position + offset`; learned positions. */
  | { readonly by: "position"; readonly offset: number }
  /** Always the same row, e.g. token type 0. */
  | { readonly by: "row"; readonly row: number };

/** `y[t] = scale * table[index(t)]`. */
export interface EmbedNode extends NodeBase {
  readonly op: "embed";
  readonly inputs: readonly [];
  /** `[tokens, width]` */
  readonly outputs: readonly [Value];
  /** `[vocabulary or positions, width]` */
  readonly table: Weight;
  readonly index: EmbedIndex;
  readonly scale: number;
}

/** Reference: copies decoded rows. */
export function embedReference(node: EmbedNode, context: ReferenceContext): void {
  const y = context.matrix(node.outputs[0]);
  for (let t = 0; t < y.rows; t++) {
    const row = context.weightRow(node.table, embedRow(node.index, context.batch.tokens[t], context.batch.position + t));
    const into = rowOf(y, t);
    for (let i = 0; i < y.width; i++) into[i] = node.scale * row[i];
  }
}

function embedRow(index: EmbedIndex, token: number, position: number): number {
  switch (index.by) {
    case "token":
      return token;
    case "position":
      return position + index.offset;
    case "row":
      return index.row;
  }
}
