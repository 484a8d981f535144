/**
 * Gives every value of a graph a place in one arena, by liveness.
 *
 * A value lives from the node that writes it to the last node that reads it or a view of it; two values share bytes
 * only when their lives do not touch. Where nodes are in stages, whole stages count: otherwise the nodes of one would have to
 * wait for each other after all, to write what another is done with. First fit over the gaps, largest lifetimes are not reordered: graphs of decoders
 * are chains, where first fit is within a few percent of the best.
 */
import { assert } from "../common/assert.ts";
import type { Value } from "../kernels/operation.ts";
import type { Graph } from "./builder.ts";

/** Every place starts on a multiple of this: kernels read 16 bytes at a time, and cache lines are not shared. */
const ALIGNMENT = 256;

/** Float32 activations. */
const ELEMENT_BYTES = 4;

/** Where each value lies. */
export interface MemoryPlan {
  /** Size of the arena in bytes. */
  readonly bytes: number;
  /** Byte offset of the root of `value` in the arena. */
  offsetOf(value: Value): number;
}

interface Lifetime {
  readonly root: Value;
  readonly first: number;
  last: number;
}

/** Plans the activations of `graph`; its result stays readable after the last node. */
export function planMemory(graph: Graph): MemoryPlan {
  const offsets = new Map<Value, number>();
  const placed: { lifetime: Lifetime; offset: number; bytes: number }[] = [];
  let bytes = 0;
  for (const lifetime of lifetimes(graph)) {
    const size = alignUp(lifetime.root.rows * lifetime.root.width * ELEMENT_BYTES);
    const rivals = placed
      .filter((other) => other.lifetime.last >= lifetime.first)
      .sort((a, b) => a.offset - b.offset);
    let offset = 0;
    for (const rival of rivals) {
      if (offset + size <= rival.offset) break;
      offset = Math.max(offset, rival.offset + rival.bytes);
    }
    placed.push({ lifetime, offset, bytes: size });
    offsets.set(lifetime.root, offset);
    bytes = Math.max(bytes, offset + size);
  }
  return {
    bytes,
    offsetOf(value) {
      const offset = offsets.get(value.root);
      assert(offset !== undefined, `${value.name} is never written`);
      return offset;
    },
  };
}

/** In order of the writing node; `first` and `last` are its stage or, without stages, its index, and those of the last reader. */
function lifetimes(graph: Graph): Lifetime[] {
  const byRoot = new Map<Value, Lifetime>();
  graph.nodes.forEach((node, index) => {
    const time = graph.stages?.[index] ?? index;
    for (const value of node.inputs) {
      const lifetime = byRoot.get(value.root);
      assert(lifetime, `${value.name} is read before it is written`);
      lifetime.last = time;
    }
    for (const value of node.outputs) {
      const lifetime = byRoot.get(value.root);
      if (lifetime) lifetime.last = time;
      else byRoot.set(value.root, { root: value.root, first: time, last: time });
    }
  });
  const result = byRoot.get(graph.result.root);
  assert(result, "the result is never written");
  result.last = graph.nodes.length;
  return [...byRoot.values()];
}

function alignUp(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}
