import { storeKv } from "../../src/kernels/store_kv.ts";
import type { CacheType } from "../../src/kernels/cache_types.ts";
import { assertClose, type Lab, openBench } from "./harness.ts";
import { assertEquals } from "../support/assert.ts";

const bench = openBench();
const NO_ERROR = 0;
const FLOAT16 = { keys: "f16", values: "f16" } as const;

interface Types {
  readonly keys?: CacheType;
  readonly values?: CacheType;
}

function operands(
  lab: Lab,
  rows: number,
  keyWidth: number,
  valueWidth: number,
  cached: number,
  types: Types = {},
) {
  return {
    op: "store_kv",
    inputs: [lab.value(rows, keyWidth), lab.value(rows, valueWidth)],
    outputs: [],
    keys: lab.kv(cached, keyWidth, types.keys),
    values: lab.kv(cached, valueWidth, types.values),
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
  assertClose(await lab.run(storeKv, operands(lab, 2, 99, 101, 2, FLOAT16)), NO_ERROR);
});

Deno.test("store_kv saturates float16 caches instead of storing infinity", async () => {
  using lab = bench.lab();
  const inputs = [lab.value(1, 4, (i) => [1e6, -1e6, 65504, -65520][i]), lab.value(1, 4, () => 0)] as const;
  const { actual } = await lab.run(storeKv, { ...operands(lab, 1, 4, 4, 1, FLOAT16), inputs });
  assertEquals([...actual.subarray(0, 4)], [65504, -65504, 65504, -65504]);
});

for (const [keys, values] of [["q8_0", "q8_0"], ["q8_0", "f16"], ["f32", "q8_0"]] as const) {
  for (const [keyWidth, valueWidth] of [[32, 32], [96, 32], [64, 1056]]) {
    Deno.test(`store_kv writes ${keyWidth} keys as ${keys} and ${valueWidth} values as ${values}, leaving other rows`, async () => {
      using lab = bench.lab();
      const batch = { position: 4, tokens: new Int32Array(3) };
      const node = operands(lab, 3, keyWidth, valueWidth, 9, { keys, values });
      assertClose(await lab.run(storeKv, node, { batch }), NO_ERROR);
    });
  }
}

Deno.test("store_kv gives each block of q8_0 a scale for its largest number", async () => {
  using lab = bench.lab();
  // A block of small numbers beside one of large numbers; 127 steps up to the peak, halves away from zero.
  const row = [
    127,
    -63.5,
    1.5,
    -2.5,
    0.49,
    ...new Array<number>(27).fill(0),
    ...new Array<number>(31).fill(0.25),
    127 / 256,
  ];
  const inputs = [lab.value(1, 64, (i) => row[i]), lab.value(1, 64, () => 0)] as const;
  const { actual } = await lab.run(storeKv, {
    ...operands(lab, 1, 64, 64, 1, { keys: "q8_0", values: "q8_0" }),
    inputs,
  });
  assertEquals([...actual.subarray(0, 6)], [127, -64, 2, -3, 0, 0]);
  assertEquals([...actual.subarray(32, 34), actual[63]], [0.25, 0.25, 127 / 256]);
  assertEquals([...actual.subarray(64)], new Array<number>(64).fill(0));
});

Deno.test("store_kv saturates q8_0 where even its scale would be infinite", async () => {
  using lab = bench.lab();
  const most = 127 * 65504;
  const inputs = [
    lab.value(1, 32, (i) => [1e30, -1e30, most, 0, 65504][i] ?? 0),
    lab.value(1, 32, () => 1e-30),
  ] as const;
  const { actual } = await lab.run(storeKv, {
    ...operands(lab, 1, 32, 32, 1, { keys: "q8_0", values: "q8_0" }),
    inputs,
  });
  assertEquals([...actual.subarray(0, 6)], [most, -most, most, 0, 65504, 0]);
  assertEquals([...actual.subarray(32)], new Array<number>(32).fill(0));
});
