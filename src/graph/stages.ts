/**
 * Orders the nodes of a graph by stages, so that those which need not wait for each other follow each other: what a device runs
 * between two barriers. A node's stage is the first one behind everything that it depends on.
 *
 * While generating, a barrier costs as much as reading several megabytes of weights, and what a mixture's shared expert does fits
 * beside the choice of the routed ones. With many tokens barriers hardly count, but values that live longer take memory.
 */
import type { StateSlot, Value } from "../kernels/operation.ts";
import type { Node } from "../kernels/registry.ts";
import type { Graph } from "./builder.ts";

/** Rows of a batch up to which its graph is put into stages. */
const ROWS_MAX = 8;

/** A touch of a value's elements, or of a state: `start` to `end` of what `owner` stands for. */
interface Access {
  readonly owner: Value | number;
  readonly start: number;
  readonly end: number;
  readonly writes: boolean;
}

/** The same graph in order of stages, {@linkcode Graph.stages}; graphs of larger batches stay as they are. */
export function inStages(graph: Graph): Graph {
  const rows = Math.max(...graph.nodes.flatMap(({ inputs }) => inputs.map((value) => value.rows)));
  if (rows > ROWS_MAX) return graph;
  const stages = stagesOf(graph.nodes);
  const order = [...graph.nodes.keys()].sort((a, b) => stages[a] - stages[b] || a - b);
  return {
    ...graph,
    nodes: order.map((index) => graph.nodes[index]),
    stages: order.map((index) => stages[index]),
  };
}

function stagesOf(nodes: readonly Node[]): number[] {
  const earlier = new Map<Value | number, (Access & { readonly stage: number })[]>();
  return nodes.map((node) => {
    const accesses = accessesOf(node);
    let stage = 0;
    for (const access of accesses) {
      for (const other of earlier.get(access.owner) ?? []) {
        if (conflict(access, other)) stage = Math.max(stage, other.stage + 1);
      }
    }
    for (const access of accesses) {
      const known = earlier.get(access.owner);
      if (known) known.push({ ...access, stage });
      else earlier.set(access.owner, [{ ...access, stage }]);
    }
    return stage;
  });
}

function conflict(a: Access, b: Access): boolean {
  return (a.writes || b.writes) && Math.max(a.start, b.start) < Math.min(a.end, b.end);
}

function accessesOf(node: Node): Access[] {
  const part = ({ root, offset, rows, stride, width }: Value, writes: boolean): Access => {
    return { owner: root, start: offset, end: offset + (rows - 1) * stride + width, writes };
  };
  return [
    ...node.inputs.map((value) => part(value, false)),
    ...node.outputs.map((value) => part(value, true)),
    // Whether an operation reads or writes a state is its own matter.
    ...slotsIn(node).map(({ id }) => ({ owner: id, start: 0, end: 1, writes: true })),
  ];
}

/** The states among the fields of a node, and of its parts. */
function slotsIn(part: object): StateSlot[] {
  return Object.values(part).flatMap((field) => {
    if (typeof field !== "object" || field === null || Array.isArray(field)) return [];
    return isSlot(field) ? [field] : slotsIn(field);
  });
}

function isSlot(field: object): field is StateSlot {
  return "kind" in field && (field.kind === "kv" || field.kind === "recurrent");
}
