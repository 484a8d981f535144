/** Small graphs on the reference executor, over weights given as plain numbers: for results that a reader can work out. */
import { GraphBuilder } from "../../src/graph/builder.ts";
import { ReferenceState, runReferenceGraph, type WeightSource } from "../../src/graph/reference_executor.ts";
import type { Batch, Value, Weight } from "../../src/kernels/operation.ts";

/** What a small graph is built with. */
export interface SmallGraph {
  readonly graph: GraphBuilder;
  /** A value whose rows are `rows`. */
  value(rows: readonly (readonly number[])[]): Value;
  /** A float32 weight whose rows are `rows`. */
  weight(rows: readonly (readonly number[])[]): Weight;
}

/** Builds and runs a graph; the rows of its result. State lives on in `state` where given. */
export function evaluate(
  build: (small: SmallGraph) => Value,
  options: { batch?: Partial<Batch>; state?: ReferenceState } = {},
): number[][] {
  const tokens = options.batch?.tokens ?? Int32Array.of(0);
  const graph = new GraphBuilder(tokens.length, tokens.length);
  const data = new Map<string, Float32Array>();
  const weight = (rows: readonly (readonly number[])[]): Weight => {
    const name = `weight${data.size}`;
    data.set(name, Float32Array.from(rows.flat()));
    return { name, format: "f32", experts: 1, rows: rows.length, columns: rows[0].length };
  };
  const value = (rows: readonly (readonly number[])[]) => {
    const table = weight(rows);
    const y = graph.value(table.name, rows.length, table.columns);
    // Row r of the table becomes row r of the value, whatever the batch's position is.
    const index = { by: "position", offset: -(options.batch?.position ?? 0) } as const;
    graph.add({ op: "embed", inputs: [], outputs: [y], table, index, scale: 1 });
    return y;
  };
  const result = build({ graph, value, weight });
  const weights: WeightSource = {
    decode: ({ name }) => data.get(name)!,
    decodeRow: ({ name, columns }, row) => data.get(name)!.subarray(row * columns, (row + 1) * columns),
  };
  const batch: Batch = { position: 0, ...options.batch, tokens };
  const flat = runReferenceGraph(
    graph.finish(result),
    batch,
    weights,
    options.state ?? new ReferenceState(16),
  );
  return Array.from(
    { length: result.rows },
    (_, r) => [...flat.slice(r * result.width, (r + 1) * result.width)],
  );
}
