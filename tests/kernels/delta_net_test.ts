import { deltaNet, type DeltaNetNode } from "../../src/kernels/delta_net.ts";
import type { KernelSetOptions } from "../../src/kernels/kernel_set.ts";
import { assertEquals } from "../support/assert.ts";
import { type Lab, openBench } from "./harness.ts";
import { checkStopped, checkTwoBatches } from "./recurrence.ts";

const bench = openBench();
/** The state and its answers are sums in another order, and the norm divides by their size. */
const TOLERANCE = 2e-5;

interface Shape {
  readonly rows: number;
  readonly keyHeads: number;
  readonly valueHeads: number;
  readonly keyDim: number;
  readonly valueDim: number;
}

function node(lab: Lab, shape: Shape, more: Partial<DeltaNetNode> = {}): DeltaNetNode {
  const { rows, keyHeads, valueHeads, keyDim, valueDim } = shape;
  const width = valueHeads * valueDim;
  return {
    op: "delta_net",
    inputs: [
      lab.value(rows, 2 * keyHeads * keyDim + width),
      lab.value(rows, valueHeads),
      lab.value(rows, valueHeads),
      lab.value(rows, width),
    ],
    outputs: [lab.value(rows, width)],
    keyHeads,
    valueHeads,
    keyDim,
    keyHeadOrder: "grouped",
    gateGroup: valueHeads,
    decay: lab.weight(
      "f32",
      1,
      valueHeads,
      Float32Array.from({ length: valueHeads }, () => -1 - lab.random()),
    ),
    dtBias: lab.weight("f32", 1, valueHeads),
    normWeight: lab.weight("f32", 1, valueDim),
    epsilon: 1e-6,
    state: lab.recurrent(width * keyDim),
    ...more,
  };
}

async function check(
  shape: Shape,
  options?: KernelSetOptions,
  more?: (lab: Lab) => Partial<DeltaNetNode>,
): Promise<void> {
  using lab = bench.lab(options);
  await checkTwoBatches(
    lab,
    deltaNet,
    node(lab, shape, more?.(lab)),
    TOLERANCE,
    JSON.stringify({ ...shape, ...options }),
  );
}

Deno.test("delta_net equals its reference for heads of odd sizes", async () => {
  await check({ rows: 1, keyHeads: 2, valueHeads: 2, keyDim: 16, valueDim: 16 });
  await check({ rows: 5, keyHeads: 1, valueHeads: 2, keyDim: 7, valueDim: 9 });
  await check({ rows: 3, keyHeads: 1, valueHeads: 1, keyDim: 128, valueDim: 128 });
  await check({ rows: 2, keyHeads: 1, valueHeads: 1, keyDim: 33, valueDim: 70 });
});

Deno.test("delta_net shares key heads among neighbouring value heads", async () => {
  await check({ rows: 3, keyHeads: 2, valueHeads: 6, keyDim: 8, valueDim: 8 });
});

Deno.test("delta_net shares key heads among value heads in turn", async () => {
  await check(
    { rows: 3, keyHeads: 2, valueHeads: 6, keyDim: 8, valueDim: 8 },
    {},
    () => ({ keyHeadOrder: "tiled" }),
  );
});

Deno.test("delta_net finds alpha and beta mixed in one value", async () => {
  const shape = { rows: 4, keyHeads: 2, valueHeads: 6, keyDim: 8, valueDim: 8 };
  await check(shape, {}, (lab) => {
    const both = lab.value(4, 12);
    const [qkv, gate] = [lab.value(4, 80), lab.value(4, 48)];
    return { inputs: [qkv, lab.columns(both, 3, 9), both, gate], gateGroup: 3 };
  });
});

Deno.test("delta_net is right for workgroups of any size", async () => {
  const shape = { rows: 2, keyHeads: 1, valueHeads: 2, keyDim: 40, valueDim: 24 };
  for (const workgroup of [16, 64, 256]) await check(shape, { workgroup });
});

for (const keyHeadOrder of ["grouped", "tiled"] as const) {
  Deno.test(`delta_net convolves one token at a time, with ${keyHeadOrder} key heads`, async () => {
    const shape = { rows: 1, keyHeads: 2, valueHeads: 6, keyDim: 8, valueDim: 12 };
    for (const taps of [2, 4]) {
      await check(shape, {}, (lab) => ({
        keyHeadOrder,
        convolution: { weight: lab.weight("f32", 104, taps), state: lab.recurrent(104 * taps) },
      }));
    }
  });
}

Deno.test("delta_net leaves the inputs of its convolution alone in a stopped step", async () => {
  using lab = bench.lab();
  const shape = { rows: 1, keyHeads: 1, valueHeads: 2, keyDim: 8, valueDim: 8 };
  const state = lab.recurrent(32 * 4);
  const stopped = node(lab, shape, { convolution: { weight: lab.weight("f32", 32, 4), state } });
  const before = [state, stopped.state].map((slot) => lab.stateOf(slot).slice());
  const { actual } = await lab.run(deltaNet, stopped, { stopped: true });
  assertEquals([actual.slice(-256, -128), actual.slice(-128)], before);
});

Deno.test("delta_net leaves its state alone in a stopped step", async () => {
  using lab = bench.lab();
  const stopped = node(lab, { rows: 1, keyHeads: 1, valueHeads: 2, keyDim: 8, valueDim: 8 });
  await checkStopped(lab, deltaNet, stopped, stopped.state);
});
