import { attentionInputs, type AttentionInputsNode } from "../../src/kernels/attention_inputs.ts";
import type { CacheType } from "../../src/kernels/cache_types.ts";
import { assertClose, openBench } from "./harness.ts";

const bench = openBench();
const TOLERANCE = 5e-6;
/** Of the largest number in a block, with its scale in float16: numbers halfway between two steps may go either way. */
const ONE_STEP = 1 / 127 + 2 ** -11;

interface Shape {
  heads: number;
  kvHeads: number;
  headDim: number;
  /** Width of a row of values; as the keys by default. */
  valueWidth?: number;
  rotaryDim?: number;
  rotaryOffset?: number;
  pairing?: "adjacent" | "halves";
  tokens?: number;
  position?: number;
  norm?: boolean;
}

async function check(
  shape: Shape,
  options: { strategy: "teams" | "lanes"; keys?: CacheType; values?: CacheType },
) {
  const { heads, kvHeads, headDim, valueWidth = kvHeads * headDim, tokens = 3, position = 37 } = shape;
  const { rotaryDim = headDim, rotaryOffset = 0, pairing = "halves" } = shape;
  using lab = bench.lab({ strategy: options.strategy });
  const row = (columns: number) => lab.weight("f32", 1, columns);
  const node: AttentionInputsNode = {
    op: "attention_inputs",
    inputs: [
      lab.value(tokens, heads * headDim),
      lab.value(tokens, kvHeads * headDim),
      lab.value(tokens, valueWidth),
    ],
    outputs: [lab.value(tokens, heads * headDim)],
    keys: lab.kv(position + tokens, kvHeads * headDim, options.keys),
    values: lab.kv(position + tokens, valueWidth, options.values),
    rope: { headDim, rotaryDim, rotaryOffset, pairing, frequencies: row(rotaryDim / 2), magnitude: 1.25 },
    norm: shape.norm ? { query: row(headDim), key: row(headDim), epsilon: 1e-5 } : undefined,
  };
  const batch = { position, tokens: new Int32Array(tokens) };
  const results = await lab.run(attentionInputs, node, { batch });
  assertClose(
    results,
    options.keys || options.values ? ONE_STEP : TOLERANCE,
    JSON.stringify({ ...shape, ...options }),
  );
}

const SMALL = { heads: 4, kvHeads: 2, headDim: 16 };

for (const strategy of ["teams", "lanes"] as const) {
  for (const norm of [false, true]) {
    const kind = `${norm ? "normed" : "plain"}, ${strategy}`;
    for (const pairing of ["adjacent", "halves"] as const) {
      Deno.test(`attention_inputs rotates pairs that are ${pairing} (${kind})`, () =>
        check({ ...SMALL, norm, pairing }, { strategy }));
    }
    for (const headDim of [2, 24, 80, 128, 256]) {
      Deno.test(`attention_inputs works with heads of ${headDim} elements (${kind})`, () =>
        check({ ...SMALL, headDim, norm }, { strategy }));
    }
    Deno.test(`attention_inputs copies what lies around the rotated part (${kind})`, () =>
      check({ ...SMALL, rotaryDim: 6, rotaryOffset: 4, norm }, { strategy }));
  }
  Deno.test(`attention_inputs stores values of another width than the keys (${strategy})`, async () => {
    await check({ ...SMALL, valueWidth: 40 }, { strategy });
    await check({ ...SMALL, valueWidth: 7, norm: true }, { strategy });
  });
  Deno.test(`attention_inputs takes one token and many (${strategy})`, async () => {
    await check({ ...SMALL, tokens: 1, position: 0 }, { strategy });
    await check({ ...SMALL, heads: 9, kvHeads: 3, tokens: 65 }, { strategy });
  });
  Deno.test(`attention_inputs fills a float16 cache (${strategy})`, () =>
    check({ ...SMALL, norm: true }, { strategy, keys: "f16", values: "f16" }));
  for (const [keys, values] of [["q8_0", "q8_0"], ["q8_0", "f16"], ["f32", "q8_0"]] as const) {
    for (const headDim of [32, 96, 256]) {
      Deno.test(`attention_inputs fills keys of ${keys} and values of ${values}, heads of ${headDim} (${strategy})`, async () => {
        await check({ ...SMALL, headDim, norm: true }, { strategy, keys, values });
        await check({ heads: 9, kvHeads: 3, headDim, rotaryDim: 12, rotaryOffset: 8 }, {
          strategy,
          keys,
          values,
        });
      });
    }
    Deno.test(`attention_inputs fills keys of ${keys} and values of ${values}, of another width (${strategy})`, () =>
      check({ ...SMALL, headDim: 64, valueWidth: 160, tokens: 5, position: 0 }, { strategy, keys, values }));
  }
}
