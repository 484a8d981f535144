import { storeKv } from "../../src/kernels/store_kv.ts";
import { assertClose, type Lab, openBench } from "./harness.ts";
import { assertEquals } from "../support/assert.ts";

const bench = openBench();
const NO_ERROR = 0;

function operands(lab: Lab, rows: number, keyWidth: number, valueWidth: number, cached: number) {
  return {
    op: "store_kv",
    inputs: [lab.value(rows, keyWidth), lab.value(rows, valueWidth)],
    outputs: [],
    keys: lab.kv(cached, keyWidth),
    values: lab.kv(cached, valueWidth),
  } as const;
}

for (const width of [1, 3, 63, 65, 257]) {
  Deno.test(`store_kv appends rows of ${width} elements and leaves the others`, async () => {
    using lab = bench.lab();
    const batch = { position: 4, tokens: new Int32Array(3) };
    assertClose(await lab.run(storeKv, operands(lab, 3, width, 2 * width, 9), { batch }), NO_ERROR);
  });
}

Deno.test("store_kv writes keys alone where the values are part of them", async () => {
  using lab = bench.lab();
  const node = { op: "store_kv", inputs: [lab.value(2, 30)], outputs: [], keys: lab.kv(5, 30) } as const;
  const batch = { position: 1, tokens: new Int32Array(2) };
  assertClose(await lab.run(storeKv, node, { batch }), NO_ERROR);
});

Deno.test("store_kv rounds to the nearest float16", async () => {
  using lab = bench.lab();
  assertClose(await lab.run(storeKv, operands(lab, 2, 100, 100, 2), { kvBytes: 2 }), 2 ** -11);
});

Deno.test("store_kv saturates float16 caches instead of storing infinity", async () => {
  using lab = bench.lab();
  const inputs = [lab.value(1, 4, (i) => [1e6, -1e6, 65504, -65520][i]), lab.value(1, 4, () => 0)] as const;
  const { actual } = await lab.run(storeKv, { ...operands(lab, 1, 4, 4, 1), inputs }, { kvBytes: 2 });
  assertEquals([...actual.subarray(0, 4)], [65504, -65504, 65504, -65504]);
});
