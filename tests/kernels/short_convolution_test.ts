import { shortConvolution, type ShortConvolutionNode } from "../../src/kernels/short_convolution.ts";
import { type Lab, openBench } from "./harness.ts";
import { checkStopped, checkTwoBatches } from "./recurrence.ts";

const bench = openBench();
const TOLERANCE = 2e-6;

function node(lab: Lab, rows: number, channels: number, kernel: number): ShortConvolutionNode {
  return {
    op: "short_convolution",
    inputs: [lab.value(rows, channels)],
    outputs: [lab.value(rows, channels)],
    weight: lab.weight("f32", channels, kernel),
    activation: "silu",
    state: lab.recurrent(kernel * channels),
  };
}

for (const kernel of [2, 3, 4]) {
  for (const rows of [1, 2, 5, 33]) {
    Deno.test(`short_convolution with ${kernel} taps carries its window over batches of ${rows} rows`, async () => {
      using lab = bench.lab();
      await checkTwoBatches(lab, shortConvolution, node(lab, rows, 67, kernel), TOLERANCE, `${rows} rows`);
    });
  }
}

Deno.test("short_convolution adds a bias", async () => {
  using lab = bench.lab();
  const biased = { ...node(lab, 3, 40, 4), bias: lab.weight("f32", 1, 40) };
  await checkTwoBatches(lab, shortConvolution, biased, TOLERANCE, "bias");
});

Deno.test("short_convolution keeps the gated input and gates the result, all three as columns of one value", async () => {
  using lab = bench.lab();
  for (const rows of [1, 18]) {
    const projected = lab.value(rows, 3 * 45);
    const inputs = [0, 45, 90].map((start) =>
      lab.columns(projected, start, 45)
    ) as unknown as ShortConvolutionNode["inputs"];
    const gated = { ...node(lab, rows, 45, 3), inputs, activation: "none" } as const;
    await checkTwoBatches(lab, shortConvolution, gated, TOLERANCE, `${rows} rows`);
  }
});

Deno.test("short_convolution leaves its state alone in a stopped step", async () => {
  using lab = bench.lab();
  const stopped = node(lab, 1, 40, 4);
  await checkStopped(lab, shortConvolution, stopped, stopped.state);
});
