/** Graphs in which any value may be read at any time after it was written. */
import { type Graph, GraphBuilder } from "../../src/graph/builder.ts";
import type { Value, Weight } from "../../src/kernels/operation.ts";

const GRAPHS = 50;
const SUMS = 30;
const SEED = 7;

/** Always the same graphs with their numbers: a lookup in `table`, and sums of values before. */
export function* randomGraphs(table: Weight): Generator<Graph> {
  let seed = SEED;
  const random = (n: number) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
  for (let round = 0; round < GRAPHS; round++) {
    const builder = new GraphBuilder(1 + random(5), 1);
    const values: Value[] = [builder.embed(table)];
    for (let i = 0; i < SUMS; i++) {
      values.push(builder.sum(values[random(values.length)], values[random(values.length)]));
    }
    yield builder.finish(values[values.length - 1]);
  }
}
