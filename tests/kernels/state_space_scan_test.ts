import { stateSpaceScan, type StateSpaceScanNode } from "../../src/kernels/state_space_scan.ts";
import type { KernelSetOptions } from "../../src/kernels/kernel_set.ts";
import { type Lab, openBench } from "./harness.ts";
import { checkStopped, checkTwoBatches } from "./recurrence.ts";

const bench = openBench();
/** Sums of up to 128 products in another order, and exponentials to a few units in the last place. */
const TOLERANCE = 1e-5;

interface Shape {
  readonly rows: number;
  readonly heads: number;
  readonly groups: number;
  readonly headDim: number;
  readonly stateSize: number;
}

function node(lab: Lab, { rows, heads, groups, headDim, stateSize }: Shape): StateSpaceScanNode {
  const inner = heads * headDim;
  return {
    op: "state_space_scan",
    inputs: [lab.value(rows, inner + 2 * groups * stateSize), lab.value(rows, heads), lab.value(rows, inner)],
    outputs: [lab.value(rows, inner)],
    decay: lab.weight("f32", 1, heads, Float32Array.from({ length: heads }, () => -1 - lab.random())),
    dtBias: lab.weight("f32", 1, heads),
    skip: lab.weight("f32", 1, heads),
    heads,
    groups,
    stateSize,
    state: lab.recurrent(inner * stateSize),
  };
}

async function check(shape: Shape, options?: KernelSetOptions): Promise<void> {
  using lab = bench.lab(options);
  await checkTwoBatches(
    lab,
    stateSpaceScan,
    node(lab, shape),
    TOLERANCE,
    JSON.stringify({ ...shape, ...options }),
  );
}

Deno.test("state_space_scan equals its reference for heads and states of odd sizes", async () => {
  await check({ rows: 1, heads: 3, groups: 1, headDim: 5, stateSize: 7 });
  await check({ rows: 9, heads: 4, groups: 1, headDim: 16, stateSize: 16 });
  await check({ rows: 3, heads: 2, groups: 1, headDim: 64, stateSize: 128 });
});

Deno.test("state_space_scan shares B and C among the heads of a group", async () => {
  await check({ rows: 4, heads: 6, groups: 3, headDim: 8, stateSize: 12 });
});

Deno.test("state_space_scan is right for workgroups of any size", async () => {
  for (const workgroup of [16, 64, 256]) {
    await check({ rows: 2, heads: 3, groups: 1, headDim: 10, stateSize: 33 }, { workgroup });
  }
});

Deno.test("state_space_scan leaves its state alone in a stopped step", async () => {
  using lab = bench.lab();
  const stopped = node(lab, { rows: 1, heads: 2, groups: 1, headDim: 4, stateSize: 8 });
  await checkStopped(lab, stateSpaceScan, stopped, stopped.state);
});
