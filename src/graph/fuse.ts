/**
 * Fusion: rewrites a graph so that one dispatch does what several nodes describe, without changing its result.
 *
 * Each fusion is a pattern over nodes, valid for every family; it looks at operations and shapes, never at names. Every
 * one can be switched off by name, so that its gain can be measured and its result compared:
 * `ZINC_NO_FUSE=gate_up,norm`, or `ZINC_NO_FUSE=all`.
 */
import { usageError } from "../common/errors.ts";
import type { Value } from "../kernels/operation.ts";
import type { Node } from "../kernels/registry.ts";
import type { Graph } from "./builder.ts";
import { attentionDecode } from "./fusions/attention_decode.ts";
import { attentionInputs } from "./fusions/attention_inputs.ts";
import { convolutionDelta } from "./fusions/convolution_delta.ts";
import { gateUp } from "./fusions/gate_up.ts";
import { normProduct } from "./fusions/norm_product.ts";
import { residualProduct } from "./fusions/residual_product.ts";
import { routerProduct } from "./fusions/router_product.ts";
import { rowGate } from "./fusions/row_gate.ts";

/** A rewrite of the node list. */
export interface Fusion {
  /** The name that switches it off. */
  readonly name: string;
  /** Returns the nodes to run instead. */
  apply(nodes: readonly Node[], uses: Uses): Node[];
}

/** In the order they are applied: each sees what the ones before made. */
export const FUSIONS: readonly Fusion[] = [
  residualProduct,
  rowGate,
  gateUp,
  normProduct,
  routerProduct,
  attentionInputs,
  attentionDecode,
  convolutionDelta,
];

/** Who reads a value. */
export class Uses {
  readonly #readers = new Map<Value, Node[]>();
  readonly #result: Value;

  constructor(nodes: readonly Node[], result: Value) {
    this.#result = result.root;
    for (const node of nodes) {
      for (const { root } of node.inputs) {
        const readers = this.#readers.get(root);
        if (!readers) this.#readers.set(root, [node]);
        else if (readers.at(-1) !== node) readers.push(node);
      }
    }
  }

  /**
   * The nodes that read `value` or a view of it, in order; undefined when the value is the graph's result or is itself a
   * view, since then others may read it too.
   */
  readersOf(value: Value): readonly Node[] | undefined {
    if (value.root !== value || value === this.#result) return undefined;
    return this.#readers.get(value) ?? [];
  }

  /** The one node that reads `value` and reads nothing but all of it, if there is just one. */
  onlyReader(value: Value): Node | undefined {
    const readers = this.readersOf(value);
    if (readers?.length !== 1) return undefined;
    return readers[0].inputs.every((input) => input.root !== value || input === value)
      ? readers[0]
      : undefined;
  }
}

/** Applies all fusions that are not in `disabled`. */
export function fuse(graph: Graph, disabled: ReadonlySet<string> = disabledFusions()): Graph {
  let nodes = [...graph.nodes];
  for (const fusion of FUSIONS) {
    if (!disabled.has(fusion.name)) nodes = fusion.apply(nodes, new Uses(nodes, graph.result));
  }
  return { ...graph, nodes };
}

/** The fusions that `ZINC_NO_FUSE` switches off. */
export function disabledFusions(setting = Deno.env.get("ZINC_NO_FUSE") ?? ""): ReadonlySet<string> {
  const names = FUSIONS.map((fusion) => fusion.name);
  const wanted = setting.split(",").map((name) => name.trim()).filter((name) => name !== "");
  if (wanted.includes("all")) return new Set(names);
  const unknown = wanted.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw usageError(
      `Cannot switch off fusion "${unknown}" in ZINC_NO_FUSE (there are: ${names.join(", ")}, all)`,
    );
  }
  return new Set(wanted);
}
