import { selectiveScan, type SelectiveScanNode } from "../../src/kernels/selective_scan.ts";
import { type Lab, openBench } from "./harness.ts";
import { checkStopped, checkTwoBatches } from "./recurrence.ts";

const bench = openBench();
/** Sums of a few products in another order, and exponentials to a few units in the last place. */
const TOLERANCE = 1e-5;

function node(lab: Lab, rows: number, channels: number, stateSize: number): SelectiveScanNode {
  const [x, dt, gate] = [0, 1, 2].map(() => lab.value(rows, channels));
  const parameters = lab.value(rows, 3 + 2 * stateSize);
  const decay = Float32Array.from({ length: channels * stateSize }, () => -1 - lab.random());
  return {
    op: "selective_scan",
    inputs: [
      x,
      dt,
      lab.columns(parameters, 3, stateSize),
      lab.columns(parameters, 3 + stateSize, stateSize),
      gate,
    ],
    outputs: [lab.value(rows, channels)],
    decay: lab.weight("f32", channels, stateSize, decay),
    skip: lab.weight("f32", 1, channels),
    state: lab.recurrent(channels * stateSize),
  };
}

for (const [rows, channels, stateSize] of [[1, 96, 16], [7, 33, 8], [20, 5, 5]]) {
  Deno.test(`selective_scan equals its reference for ${channels} channels of ${stateSize} over ${rows} rows`, async () => {
    using lab = bench.lab();
    await checkTwoBatches(lab, selectiveScan, node(lab, rows, channels, stateSize), TOLERANCE, "");
  });
}

Deno.test("selective_scan leaves its state alone in a stopped step", async () => {
  using lab = bench.lab();
  const stopped = node(lab, 1, 8, 4);
  await checkStopped(lab, selectiveScan, stopped, stopped.state);
});
