import { blend } from "../../src/kernels/blend.ts";
import { assertClose, openBench } from "./harness.ts";

const bench = openBench();

Deno.test("blend goes from one value to another by a third", async () => {
  using lab = bench.lab();
  const [a, b, t] = [0, 1, 2].map(() => lab.columns(lab.value(3, 201), 1, 199));
  assertClose(await lab.run(blend, { op: "blend", inputs: [a, b, t], outputs: [lab.value(3, 199)] }), 1e-6);
});
