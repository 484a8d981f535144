import { wkv7, type Wkv7Node } from "../../src/kernels/wkv7.ts";
import { type Lab, openBench } from "./harness.ts";
import { checkStopped, checkTwoBatches } from "./recurrence.ts";

const bench = openBench();
/** The state and its answers are sums in another order, and the norm divides by their size. */
const TOLERANCE = 3e-5;

function node(lab: Lab, rows: number, heads: number, headDim: number): Wkv7Node {
  const width = heads * headDim;
  const [r, decay, k, v, gate] = Array.from({ length: 5 }, () => lab.value(rows, width));
  const a = lab.value(rows, width, () => (1 + lab.random()) / 2);
  const [removalScale, learningScale, bonus, normWeight, normBias] = Array.from(
    { length: 5 },
    () => lab.weight("f32", 1, width),
  );
  return {
    op: "wkv7",
    inputs: [r, decay, k, v, a, gate],
    outputs: [lab.value(rows, width)],
    headDim,
    removalScale,
    learningScale,
    bonus,
    normWeight,
    normBias,
    state: lab.recurrent(width * headDim),
  };
}

for (const [rows, heads, headDim] of [[1, 2, 64], [6, 2, 64], [3, 3, 20], [2, 1, 128]]) {
  Deno.test(`wkv7 equals its reference for ${heads} heads of ${headDim} over ${rows} rows`, async () => {
    using lab = bench.lab();
    await checkTwoBatches(lab, wkv7, node(lab, rows, heads, headDim), TOLERANCE, "");
  });
}

Deno.test("wkv7 leaves its state alone in a stopped step", async () => {
  using lab = bench.lab();
  const stopped = node(lab, 1, 2, 16);
  await checkStopped(lab, wkv7, stopped, stopped.state);
});
