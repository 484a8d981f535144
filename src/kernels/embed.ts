/** Embedding lookup: one row of a table per token, chosen by token id, by position, or fixed. */
import type { GpuContext, NodeBase, Operation, ReferenceContext, Value, Weight } from "./operation.ts";
import { rowOf } from "./matrix.ts";
import { elementGrid, spansOf } from "./recording.ts";

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
    const row = context.weightRow(
      node.table,
      embedRow(node.index, context.batch.tokens[t], context.batch.position + t),
    );
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

const INDEX_KINDS: readonly EmbedIndex["by"][] = ["token", "position", "row"]; // as embed.comp numbers them

/** GPU: one lane per element. */
function record(node: EmbedNode, gpu: GpuContext): void {
  const y = gpu.matrix(node.outputs[0]);
  const table = gpu.weight(node.table);
  const { index } = node;
  const workgroup = gpu.kernels.workgroup();
  const constants = { WORKGROUP: workgroup, INDEX: INDEX_KINDS.indexOf(index.by) };
  gpu.recorder.dispatch(gpu.kernels.get("embed", { format: table.format, constants }), {
    workgroups: elementGrid(y.width, workgroup, y.rows),
    push: {
      table: table.span,
      step: gpu.step,
      y: y.span,
      blocks: table.blocks,
      rows: node.table.rows,
      width: y.width,
      yStride: y.stride,
      offset: index.by === "position" ? index.offset : index.by === "row" ? index.row : 0,
      scale: node.scale,
    },
    reads: [gpu.step],
    writes: spansOf(y),
  });
}

/** `embed`. */
export const embed: Operation<EmbedNode> = { op: "embed", reference: embedReference, record };
