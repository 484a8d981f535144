import { headMatmul } from "../../src/kernels/head_matmul.ts";
import type { FormatName } from "../../src/quant/formats.ts";
import { assertClose, openBench, PRODUCT_FORMS } from "./harness.ts";

const bench = openBench();

async function check(
  format: FormatName,
  heads: number,
  rows: number,
  columns: number,
  tail: number,
): Promise<void> {
  for (const { options, tolerance } of PRODUCT_FORMS) {
    using lab = bench.lab(options);
    const node = {
      op: "head_matmul",
      inputs: [lab.value(3, heads * (columns + tail))],
      outputs: [lab.value(3, heads * (rows + tail))],
      weight: lab.experts(format, heads, rows, columns),
      tail,
    } as const;
    assertClose(await lab.run(headMatmul, node), tolerance, `${format} ${heads} ${rows} ${columns} ${tail}`);
  }
}

for (const format of ["f32", "f16", "q8_0", "q4_k"] as const) {
  Deno.test(`head_matmul with ${format} weights multiplies each head by a matrix of its own`, async () => {
    await check(format, 3, 40, format === "q4_k" ? 256 : 64, 0);
  });
}

Deno.test("head_matmul copies the tail of each head", async () => {
  await check("f32", 4, 32, 24, 16);
  await check("f16", 2, 7, 9, 5);
  await check("q8_0", 4, 33, 64, 3);
});
