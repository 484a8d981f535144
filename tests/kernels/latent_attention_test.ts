import { attention } from "../../src/kernels/attention.ts";
import { storeKv } from "../../src/kernels/store_kv.ts";
import { assertClose, openBench } from "./harness.ts";

const bench = openBench();
/** Sums over 576 elements and 60 positions in other orders. */
const TOLERANCE = 1e-5;

for (const strategy of ["teams", "lanes"] as const) {
  for (const tokens of [1, 5]) {
    Deno.test(`attention reads values as the first part of wide keys, ${tokens} tokens by ${strategy}`, async () => {
      using lab = bench.lab({ strategy });
      const keys = lab.kv(60, 576);
      const node = {
        op: "attention",
        inputs: [lab.value(tokens, 16 * 576)],
        outputs: [lab.value(tokens, 16 * 512)],
        keys,
        values: keys,
        heads: 16,
        kvHeads: 1,
        headDim: 576,
        valueDim: 512,
        scale: 0.05,
        window: 0,
        chunk: 0,
        causal: true,
        softcap: 0,
      } as const;
      const batch = { position: 60 - tokens, tokens: new Int32Array(tokens) };
      assertClose(await lab.run(attention, node, { batch }), TOLERANCE);
    });
  }
}

Deno.test("store_kv without values writes keys alone", async () => {
  using lab = bench.lab();
  const node = { op: "store_kv", inputs: [lab.value(3, 40)], outputs: [], keys: lab.kv(9, 40) } as const;
  assertClose(await lab.run(storeKv, node, { batch: { position: 4, tokens: new Int32Array(3) } }), 0);
});
