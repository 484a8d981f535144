import { add } from "../../src/kernels/add.ts";
import { assertClose, openBench } from "./harness.ts";

const bench = openBench();
const TOLERANCE = 1e-7;

for (const width of [1, 3, 63, 65, 257]) {
  for (const workgroup of [8, 64, 256]) {
    Deno.test(`add sums rows of ${width} elements in workgroups of ${workgroup} lanes`, async () => {
      using lab = bench.lab({ workgroup });
      const inputs = [lab.value(3, width), lab.value(3, width)] as const;
      const outputs = [lab.value(3, width)] as const;
      assertClose(await lab.run(add, { op: "add", inputs, outputs, scale: 0.25 }), TOLERANCE);
    });
  }
}

Deno.test("add reads and writes columns of wider values", async () => {
  using lab = bench.lab();
  const columns = (start: number) => lab.columns(lab.value(2, 11), start, 5);
  const inputs = [columns(0), columns(3)] as const;
  assertClose(await lab.run(add, { op: "add", inputs, outputs: [columns(6)], scale: 1 }), TOLERANCE);
});
