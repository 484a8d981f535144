import { ACTIVATIONS } from "../../src/kernels/activations.ts";
import { gated } from "../../src/kernels/gated.ts";
import { assertClose, openBench } from "./harness.ts";

const bench = openBench();
/** GPUs may be off by a few units in the last place of `exp`. */
const TOLERANCE = 2e-6;

for (const activation of ACTIVATIONS) {
  Deno.test(`gated applies ${activation} to the gate`, async () => {
    using lab = bench.lab();
    const gate = lab.value(2, 257, (i) => (i % 257 - 128) / 8); // -16 to 16, 0 included
    const node = {
      op: "gated",
      inputs: [gate, lab.value(2, 257)],
      outputs: [lab.value(2, 257)],
      activation,
    } as const;
    assertClose(await lab.run(gated, node), TOLERANCE);
  });
}

for (const activation of ["silu", "gelu", "gelu_erf", "gelu_quick", "sigmoid", "tanh"] as const) {
  Deno.test(`gated with ${activation} stays finite for gates of 1e5`, async () => {
    using lab = bench.lab();
    const gate = lab.value(1, 6, (i) => [-1e5, -100, -1e-30, 1e-30, 100, 1e5][i]);
    const ones = lab.value(1, 6, () => 1);
    const node = { op: "gated", inputs: [gate, ones], outputs: [lab.value(1, 6)], activation } as const;
    assertClose(await lab.run(gated, node), TOLERANCE);
  });
}
