import { GraphBuilder } from "../../src/graph/builder.ts";
import { planMemory } from "../../src/graph/memory_plan.ts";
import type { Graph } from "../../src/graph/builder.ts";
import type { Value, Weight } from "../../src/kernels/operation.ts";
import { assert, assertEquals } from "../support/assert.ts";
import { randomGraphs } from "./random_graphs.ts";

const table: Weight = { name: "table", format: "f32", experts: 1, rows: 10, columns: 64 };
const square: Weight = { name: "square", format: "f32", experts: 1, rows: 64, columns: 64 };
const BYTES = 64 * 4;

function chain(products: number): Graph {
  const graph = new GraphBuilder(1, 1);
  let x = graph.embed(table);
  for (let i = 0; i < products; i++) x = graph.matmul(x, square);
  return graph.finish(x);
}

Deno.test("planMemory() runs a chain of any length in two places", () => {
  assertEquals(planMemory(chain(1)).bytes, 2 * BYTES);
  assertEquals(planMemory(chain(50)).bytes, 2 * BYTES);
});

Deno.test("planMemory() keeps a residual alive until the sum that reads it", () => {
  const graph = new GraphBuilder(1, 1);
  const x = graph.embed(table);
  const y = graph.matmul(graph.matmul(x, square), square);
  const sum = graph.sum(x, y);
  const plan = planMemory(graph.finish(sum));
  const places = [x, y, sum].map((value) => plan.offsetOf(value));
  assertEquals(new Set(places).size, 3);
});

Deno.test("planMemory() keeps a value alive for as long as a view of it is read", () => {
  const graph = new GraphBuilder(1, 1);
  const x = graph.embed(table);
  const half = graph.columns(x, 32, 32);
  const y = graph.matmul(x, square);
  const z = graph.matmul(y, square);
  const sum = graph.sum(graph.columns(z, 0, 32), half);
  const plan = planMemory(graph.finish(sum));
  assertEquals(plan.offsetOf(half), plan.offsetOf(x));
  assert(plan.offsetOf(z) !== plan.offsetOf(x), "z would overwrite x");
});

Deno.test("planMemory() never gives two living values the same bytes, on random graphs", () => {
  for (const [number, graph] of [...randomGraphs(table)].entries()) {
    const { values } = graph;
    const plan = planMemory(graph);
    const lastUse = (value: Value) =>
      graph.nodes.findLastIndex(({ inputs }) => inputs.some((input) => input === value));
    const size = Math.ceil(values[0].rows * BYTES / 256) * 256;
    graph.nodes.forEach((node, index) => {
      const [written] = node.outputs as readonly Value[];
      for (const other of values.slice(0, index)) {
        const alive = lastUse(other) >= index;
        const apart = Math.abs(plan.offsetOf(other) - plan.offsetOf(written)) >= size;
        assert(!alive || apart, `graph ${number}: node ${index} overwrites ${other.id}`);
      }
    });
  }
});
