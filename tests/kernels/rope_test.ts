import { rope, type RopeNode } from "../../src/kernels/rope.ts";
import { assertClose, type Lab, openBench } from "./harness.ts";

const bench = openBench();
const TOLERANCE = 1e-6;

function node(lab: Lab, headDim: number, rotaryDim: number, more: Partial<RopeNode> = {}): RopeNode {
  const frequencies = Array.from({ length: rotaryDim / 2 }, (_, i) => 10000 ** (-2 * i / rotaryDim));
  return {
    op: "rope",
    inputs: [lab.value(3, 5 * headDim)],
    outputs: [lab.value(3, 5 * headDim)],
    headDim,
    rotaryOffset: 0,
    rotaryDim,
    pairing: "halves",
    frequencies: lab.weight("f32", 1, rotaryDim / 2, frequencies),
    magnitude: 1,
    ...more,
  };
}

/** Positions that need range reduction: Vulkan's own sine is off by 5e-4 and only defined between -pi and pi. */
for (const position of [0, 1, 100, 4095, 131072, 1048576, 16000000]) {
  Deno.test(`rope at position ${position} is as exact as float32 angles`, async () => {
    using lab = bench.lab();
    const batch = { position, tokens: new Int32Array(3) };
    assertClose(await lab.run(rope, node(lab, 64, 64), { batch }), TOLERANCE);
  });
}

for (const pairing of ["adjacent", "halves"] as const) {
  for (
    const [headDim, rotaryDim, rotaryOffset] of [[2, 2, 0], [80, 32, 0], [24, 8, 16], [192, 64, 128], [
      9,
      4,
      3,
    ]]
  ) {
    Deno.test(`rope of ${pairing} pairs turns ${rotaryDim} of ${headDim} elements from ${rotaryOffset} on`, async () => {
      using lab = bench.lab();
      const batch = { position: 17, tokens: new Int32Array(3) };
      const turned = node(lab, headDim, rotaryDim, { pairing, rotaryOffset, magnitude: 1.25 });
      assertClose(await lab.run(rope, turned, { batch }), TOLERANCE);
    });
  }
}

for (const workgroup of [8, 64, 256]) {
  Deno.test(`rope in workgroups of ${workgroup} lanes`, async () => {
    using lab = bench.lab({ workgroup });
    assertClose(await lab.run(rope, node(lab, 40, 40)), TOLERANCE);
  });
}
