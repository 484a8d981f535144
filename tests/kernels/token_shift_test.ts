import { tokenShift, type TokenShiftNode } from "../../src/kernels/token_shift.ts";
import { type Lab, openBench } from "./harness.ts";
import { checkStopped, checkTwoBatches } from "./recurrence.ts";

const bench = openBench();
const TOLERANCE = 1e-6;

function node(lab: Lab, rows: number, width: number, mixes: number): TokenShiftNode {
  return {
    op: "token_shift",
    inputs: [lab.value(rows, width)],
    outputs: [lab.value(rows, mixes * width)],
    mix: lab.weight("f32", mixes, width),
    state: lab.recurrent(width),
  };
}

for (const rows of [1, 2, 9]) {
  Deno.test(`token_shift blends with the last row of the batch before, over batches of ${rows}`, async () => {
    using lab = bench.lab();
    await checkTwoBatches(lab, tokenShift, node(lab, rows, 77, 6), TOLERANCE, "");
  });
}

Deno.test("token_shift leaves its state alone in a stopped step", async () => {
  using lab = bench.lab();
  const stopped = node(lab, 1, 30, 1);
  await checkStopped(lab, tokenShift, stopped, stopped.state);
});
