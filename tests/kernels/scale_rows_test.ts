import { scaleRows } from "../../src/kernels/scale_rows.ts";
import { assertClose, openBench } from "./harness.ts";

const bench = openBench();

Deno.test("scale_rows multiplies each row by the sigmoid of its own number", async () => {
  using lab = bench.lab();
  const [x, factor] = [lab.value(5, 131), lab.columns(lab.value(5, 3), 1, 1)];
  const node = {
    op: "scale_rows",
    inputs: [x, factor],
    outputs: [lab.value(5, 131)],
    activation: "sigmoid",
  } as const;
  assertClose(await lab.run(scaleRows, node), 1e-6);
});
