import { deinterleave } from "../../src/kernels/deinterleave.ts";
import { assertEquals } from "../support/assert.ts";
import { openBench } from "./harness.ts";

const bench = openBench();

Deno.test("deinterleave() separates the query and gate halves of every head", async () => {
  using lab = bench.lab();
  const x = lab.value(1, 8, (i) => i);
  const node = {
    op: "deinterleave",
    inputs: [x],
    outputs: [lab.value(1, 4), lab.value(1, 4)],
    heads: 2,
  } as const;
  const { actual } = await lab.run(deinterleave, node);
  assertEquals([...actual], [0, 1, 4, 5, 2, 3, 6, 7]);
});

Deno.test("deinterleave() separates parts of unequal width in many rows", async () => {
  using lab = bench.lab();
  const outputs = [lab.value(4, 3 * 20), lab.value(4, 3 * 7)] as const;
  const { actual, expected } = await lab.run(deinterleave, {
    op: "deinterleave",
    inputs: [lab.value(4, 3 * 27)],
    outputs,
    heads: 3,
  });
  assertEquals(actual, expected);
});
