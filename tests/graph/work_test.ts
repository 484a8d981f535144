/** The work of graphs against figures worked out by hand, and how it is cut into pieces. */
import { fuse } from "../../src/graph/fuse.ts";
import { cutByWork, workOf } from "../../src/graph/work.ts";
import { openModel } from "../../src/models/open_model.ts";
import { assert, assertEquals, assertNear } from "../support/assert.ts";
import { goldenModel } from "../support/golden.ts";

const TOKENS = 10;

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);

Deno.test("workOf() counts two operations per token and element of every matrix of a dense model", () => {
  using model = openModel(goldenModel("llama2"), 64);
  const matrices = [...model.file.tensors.values()].filter(({ name }) =>
    /^blk\..*(attn|ffn)_(q|k|v|output|gate|up|down)\./.test(name)
  );
  const { nodes } = fuse(model.build(TOKENS, 0), new Set());
  const work = sum(nodes.filter(({ op }) => op !== "attention").map((node) => workOf(node, 64)));
  const expected = 2 * TOKENS * sum(matrices.map(({ elements }) => elements));
  assertNear(work, expected, 0.05 * expected); // norms and rotations are the rest
});

Deno.test("workOf() counts what attention multiplies with all that the cache may hold, or with the window", () => {
  for (const [name, seen] of [["llama2", 64], ["gemma3", 16]] as const) {
    using model = openModel(goldenModel(name), 64);
    const nodes = model.build(TOKENS, 1).nodes.filter((node) => node.op === "attention");
    const smallest = nodes.reduce((best, node) => node.window > 0 ? node : best);
    const { heads, headDim } = smallest;
    assertEquals(workOf(smallest, 64), 2 * TOKENS * heads * 2 * headDim * (smallest.window || seen), name);
  }
});

Deno.test("workOf() counts of a mixture the experts that tokens choose, and nothing for a lookup", () => {
  using model = openModel(goldenModel("mixtral"), 64);
  const { nodes } = model.build(TOKENS, 1);
  const down = nodes.find((node) => node.op === "expert_down")!;
  const { rows, columns } = down.weight;
  assertEquals(workOf(down, 64), 2 * TOKENS * down.inputs[1].width * rows * columns);
  assertEquals(workOf(nodes.find(({ op }) => op === "embed")!, 64), 0);
});

Deno.test("cutByWork() keeps the order, and no piece has more than allowed unless it is one node", () => {
  using model = openModel(goldenModel("llama2"), 64);
  const { nodes } = model.build(TOKENS, 1);
  const total = sum(nodes.map((node) => workOf(node, 64)));
  for (const most of [0, 1e5, total / 3, total, Infinity]) {
    const pieces = cutByWork(nodes, 64, most);
    assertEquals(pieces.flatMap((piece) => piece.nodes), nodes);
    assertEquals(sum(pieces.map(({ work }) => work)), total);
    assert(pieces.every(({ nodes, work }) => work <= most || nodes.length === 1), `${most}`);
  }
  assertEquals(cutByWork(nodes, 64, total).length, 1);
});
