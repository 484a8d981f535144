/**
 * What one run of a graph has to read from memory: the weights, the cached keys and values that its tokens see, and recurrent state.
 * Generation is as fast as these bytes come in, so they are what its speed is measured against.
 *
 * Activations are left out: they are small and stay in caches.
 */
import { visible } from "../kernels/attention.ts";
import type { StateSlot, Weight } from "../kernels/operation.ts";
import type { Node } from "../kernels/registry.ts";
import { rowBytes, tensorBytes } from "../quant/formats.ts";
import type { Graph } from "./builder.ts";

/** Bytes that a graph reads. */
export interface Traffic {
  readonly weights: number;
  /** Cached keys and values, and recurrent state. */
  readonly state: number;
}

/** Bytes of `positions` rows of a slot, as the sequence stores it. */
export type SlotBytes = (slot: StateSlot, positions: number) => number;

/** What a run of `graph` reads whose first token is at `position`. */
export function trafficOf(graph: Graph, position: number, slotBytes: SlotBytes): Traffic {
  let weights = 0;
  let state = 0;
  for (const node of graph.nodes) {
    for (const weight of weightsOf(node)) weights += readShare(node, weight) * bytesOf(weight);
    state += stateRead(node, position, slotBytes);
  }
  return { weights, state };
}

function bytesOf({ format, experts, rows, columns }: Weight): number {
  return tensorBytes(format, experts * rows * columns);
}

/** The part of a weight that a node reads: the rows of a table that its tokens name, the experts that its tokens choose. */
function readShare(node: Node, weight: Weight): number {
  switch (node.op) {
    case "embed":
      return node.outputs[0].rows * rowBytes(weight.format, weight.columns) / bytesOf(weight);
    case "expert_gate_up":
    case "expert_down": {
      const { rows, width: used } = node.inputs[1];
      // Tokens choose alike or not; this is what is expected when each chooses by chance.
      return 1 - (1 - used / weight.experts) ** rows;
    }
    default:
      return 1;
  }
}

function stateRead(node: Node, position: number, slotBytes: SlotBytes): number {
  if (node.op === "attention_decode") return stateRead(node.attention, position, slotBytes);
  if (node.op === "attention") {
    const { rows } = node.inputs[0];
    const { first } = visible(node, position, position + rows);
    const { end } = visible(node, position + rows - 1, position + rows);
    const slots = [...new Set([node.keys, node.values])]; // keys can contain the values
    return slots.reduce((sum, slot) => sum + slotBytes(slot, end - first), 0);
  }
  return "state" in node ? slotBytes(node.state, 1) : 0;
}

/** Every tensor among a node's fields, those that fused neighbours brought along included. */
export function weightsOf(node: Node): Weight[] {
  if (node.op === "attention_decode") return [...weightsOf(node.prepare), ...weightsOf(node.attention)];
  const { inputs: _inputs, outputs: _outputs, ...fields } = node;
  return tensorsAmong(fields);
}

function tensorsAmong(fields: object): Weight[] {
  return Object.values(fields).flatMap((field: unknown) => {
    if (typeof field !== "object" || field === null) return [];
    return isWeight(field) ? [field] : tensorsAmong(field);
  });
}

function isWeight(field: object): field is Weight {
  return "format" in field && "experts" in field && "columns" in field;
}
