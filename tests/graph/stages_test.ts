import { type Graph, GraphBuilder } from "../../src/graph/builder.ts";
import { planMemory } from "../../src/graph/memory_plan.ts";
import { inStages } from "../../src/graph/stages.ts";
import type { StateSlot, Weight } from "../../src/kernels/operation.ts";
import { assert, assertEquals } from "../support/assert.ts";
import { randomGraphs } from "./random_graphs.ts";

const WIDTH = 64;
const square = (name: string): Weight => ({ name, format: "f32", experts: 1, rows: WIDTH, columns: WIDTH });
const table = { ...square("table"), rows: 16 };

/** The names of the values that the nodes of each stage write. */
function stageNames(graph: Graph): string[][] {
  const names: string[][] = [];
  graph.nodes.forEach(({ op, outputs }, i) => (names[graph.stages![i]] ??= []).push(outputs[0]?.name ?? op));
  return names;
}

/** Two chains of products over one input, one of them written down behind the other, and their sum. */
function twoChains(tokens: number): Graph {
  const graph = new GraphBuilder(tokens, tokens);
  const x = graph.embed(table);
  const a = graph.matmul(graph.matmul(x, square("a1")), square("a2"));
  const b = graph.matmul(graph.matmul(graph.matmul(x, square("b1")), square("b2")), square("b3"));
  return graph.finish(graph.sum(a, b));
}

Deno.test("inStages() puts nodes together that need not wait for each other", () => {
  assertEquals(stageNames(inStages(twoChains(1))), [
    ["table"],
    ["a1", "b1"],
    ["a2", "b2"],
    ["b3"],
    ["sum(a2, b3)"],
  ]);
});

Deno.test("inStages() leaves large batches as they are, whose values take memory", () => {
  const graph = twoChains(9);
  assertEquals(inStages(graph), graph);
});

Deno.test("inStages() runs the store into a cache before the attention that reads it, in the order of the graph", () => {
  const graph = new GraphBuilder(1, 1);
  const x = graph.embed(table);
  const [keys, values] = [0, 1].map((id): StateSlot => ({ id, name: `kv${id}`, kind: "kv", width: WIDTH }));
  const shape = { keys, values, heads: 1, kvHeads: 1, headDim: WIDTH, scale: 1 };
  const old = graph.attention(x, shape);
  graph.storeKv(graph.matmul(x, square("k")), graph.matmul(x, square("v")), keys, values);
  const result = graph.sum(old, graph.attention(x, shape));
  assertEquals(stageNames(inStages(graph.finish(result))), [
    ["table"],
    ["attention(table)", "k", "v"],
    ["store_kv"],
    ["attention(table)"],
    ["sum(attention(table), attention(table))"],
  ]);
});

Deno.test("inStages() lets nodes write different columns of a value at a time, and the same ones in turn", () => {
  const graph = new GraphBuilder(1, 1);
  const x = graph.embed(table);
  const whole = graph.value("whole", 1, 2 * WIDTH);
  const [left, right] = [0, WIDTH].map((start) => graph.columns(whole, start, WIDTH));
  for (const into of [left, right, left]) graph.norm(x, { epsilon: 1e-5, into });
  assertEquals(stageNames(inStages(graph.finish(whole))), [["table"], ["whole", "whole"], ["whole"]]);
});

Deno.test("inStages() keeps every node behind what it reads, on random graphs, and planMemory() keeps their stages apart", () => {
  for (const made of randomGraphs(table)) {
    const graph = inStages(made);
    const stages = graph.stages!;
    const place = planMemory(graph);
    const written = new Map(graph.nodes.map(({ outputs }, i) => [outputs[0], stages[i]]));
    graph.nodes.forEach(({ inputs, outputs }, i) => {
      const output = outputs[0]!;
      for (const input of inputs) {
        assert(written.get(input)! < stages[i], `${output.name} does not wait for ${input.name}`);
      }
      graph.nodes.forEach(({ inputs }, j) => {
        if (stages[i] !== stages[j] || i === j) return;
        const others = [...inputs, ...graph.nodes[j].outputs];
        assert(
          others.every((other) => place.offsetOf(other) !== place.offsetOf(output)),
          `${output.name} takes the place of a value of its stage`,
        );
      });
    });
  }
});
