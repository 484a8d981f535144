import { attention, type AttentionNode } from "../../src/kernels/attention.ts";
import type { KernelSetOptions } from "../../src/kernels/kernel_set.ts";
import { CACHE_TYPES, type CacheType } from "../../src/kernels/cache_types.ts";
import { assertClose, type Lab, openBench, type RunOptions } from "./harness.ts";

const bench = openBench();
const TOLERANCE = 5e-6;
const STRATEGIES = ["teams", "lanes"] as const;
const MIXED_TYPES = CACHE_TYPES.flatMap((keys) => CACHE_TYPES.map((values) => [keys, values] as const));

interface Shape {
  heads: number;
  kvHeads: number;
  headDim: number;
  valueDim?: number;
  tokens: number;
  /** Position of the first token. */
  position: number;
}

const SMALL: Shape = { heads: 4, kvHeads: 2, headDim: 16, tokens: 3, position: 37 };

async function check(
  shape: Shape,
  more: Partial<AttentionNode> | ((lab: Lab) => Partial<AttentionNode>) = {},
  options: KernelSetOptions & Pick<RunOptions, "contextBucket"> & {
    encoderLength?: number;
    keys?: CacheType;
    values?: CacheType;
  } = {},
): Promise<void> {
  const { heads, kvHeads, headDim, valueDim = headDim, tokens, position } = shape;
  using lab = bench.lab(options);
  const cached = Math.max(position + tokens, options.encoderLength ?? 0);
  const node: AttentionNode = {
    op: "attention",
    inputs: [lab.value(tokens, heads * headDim)],
    outputs: [lab.value(tokens, heads * valueDim)],
    keys: lab.kv(cached, kvHeads * headDim, options.keys),
    values: lab.kv(cached, kvHeads * valueDim, options.values),
    heads,
    kvHeads,
    headDim,
    valueDim,
    scale: 1 / Math.sqrt(headDim),
    window: 0,
    chunk: 0,
    causal: true,
    softcap: 0,
    ...(typeof more === "function" ? more(lab) : more),
  };
  const batch = { position, tokens: new Int32Array(tokens), encoderLength: options.encoderLength };
  const results = await lab.run(attention, node, { ...options, batch });
  assertClose(results, TOLERANCE, JSON.stringify({ ...shape, ...options }));
}

for (const strategy of STRATEGIES) {
  const only = { strategy };
  Deno.test(`attention of the first token of all is its value (${strategy})`, () =>
    check({ ...SMALL, tokens: 1, position: 0 }, {}, only));

  for (const headDim of [8, 24, 40, 80, 128, 256]) {
    Deno.test(`attention works with heads of ${headDim} elements (${strategy})`, () =>
      check({ ...SMALL, headDim }, {}, only));
  }

  for (const headDim of [1, 3, 20]) {
    Deno.test(`attention works with heads of ${headDim} elements, no multiple of 16 bytes (${strategy})`, () =>
      check({ ...SMALL, headDim }, {}, only));
  }

  Deno.test(`attention over latent keys of 576 whose first 512 are the values (${strategy})`, () =>
    check({ heads: 3, kvHeads: 1, headDim: 576, valueDim: 512, tokens: 2, position: 20 }, (lab) => {
      const keys = lab.kv(22, 576);
      return { keys, values: keys };
    }, only));

  for (const [heads, kvHeads] of [[1, 1], [3, 1], [8, 8], [9, 3], [20, 1], [32, 4]]) {
    Deno.test(`attention shares ${kvHeads} key heads among ${heads} query heads (${strategy})`, () =>
      check({ ...SMALL, heads, kvHeads }, {}, only));
  }

  for (const [tokens, position] of [[1, 62], [1, 63], [1, 64], [63, 0], [65, 0], [7, 250], [257, 5]]) {
    Deno.test(`attention of ${tokens} tokens after ${position} others (${strategy})`, () =>
      check({ ...SMALL, tokens, position }, {}, only));
  }

  for (const [keys, values] of MIXED_TYPES) {
    Deno.test(`attention reads keys of ${keys} and values of ${values} (${strategy})`, () =>
      check({ ...SMALL, headDim: 64, tokens: 9, position: 70 }, {}, { ...only, keys, values }));
  }

  Deno.test(`attention reads float16 of any width (${strategy})`, () =>
    check({ ...SMALL, headDim: 3 }, {}, { ...only, keys: "f16", values: "f16" }));

  for (const [headDim, valueDim] of [[32, 32], [96, 64], [160, 128], [256, 256]]) {
    Deno.test(`attention reads blocks in heads of ${headDim} and ${valueDim} elements (${strategy})`, () =>
      check({ ...SMALL, headDim, valueDim }, {}, { ...only, keys: "q8_0", values: "q8_0" }));
  }

  for (const [heads, kvHeads] of [[1, 1], [9, 3], [20, 1], [8, 8]]) {
    Deno.test(`attention reads blocks of ${kvHeads} key heads for ${heads} query heads (${strategy})`, () =>
      check({ ...SMALL, headDim: 32, heads, kvHeads }, {}, { ...only, keys: "q8_0", values: "q8_0" }));
  }

  Deno.test(`attention reads blocks, the context split (${strategy})`, () =>
    check(
      { ...SMALL, headDim: 64, tokens: 1, position: 1030 },
      {},
      { ...only, keys: "q8_0", values: "q8_0", contextBucket: 4096 },
    ));

  for (const contextBucket of [257, 1024, 4096]) {
    Deno.test(`attention recorded for ${contextBucket} positions serves 257 (${strategy})`, () =>
      check({ ...SMALL, tokens: 1, position: 256 }, {}, { ...only, contextBucket }));
  }

  Deno.test(`attention with a sliding window (${strategy})`, () => check(SMALL, { window: 5 }, only));
  Deno.test(`attention with a window longer than the context (${strategy})`, () =>
    check(SMALL, { window: 1000 }, only));
  Deno.test(`attention with a window, recorded for a long context (${strategy})`, () =>
    check({ ...SMALL, tokens: 1, position: 700 }, { window: 600 }, { ...only, contextBucket: 4096 }));
  Deno.test(`attention in chunks (${strategy})`, () =>
    check({ ...SMALL, tokens: 9, position: 11 }, { chunk: 8 }, only));
  Deno.test(`attention of an encoder sees the whole batch (${strategy})`, () =>
    check({ ...SMALL, tokens: 33, position: 0 }, { causal: false }, only));
  Deno.test(`attention of an encoder with a symmetric window (${strategy})`, () =>
    check({ ...SMALL, tokens: 33, position: 0 }, { causal: false, window: 9 }, only));
  Deno.test(`attention over an encoder's keys (${strategy})`, () =>
    check(SMALL, { encoder: true, causal: false }, { ...only, encoderLength: 45, contextBucket: 45 }));
  Deno.test(`attention over an encoder's keys when there are none gives zeros (${strategy})`, () =>
    check(SMALL, { encoder: true, causal: false }, { ...only, encoderLength: 0 }));
  Deno.test(`attention with capped scores (${strategy})`, () => check(SMALL, { softcap: 2, scale: 3 }, only));
  Deno.test(`attention with ALiBi (${strategy})`, () =>
    check(SMALL, (lab) => ({ alibiSlopes: lab.weight("f32", 1, 4, [0.5, 0.25, 0.125, 0.0625]) }), only));
  Deno.test(`attention with relative biases (${strategy})`, () =>
    check({ ...SMALL, tokens: 20, position: 0 }, (lab) => ({
      causal: false,
      relativeBias: lab.weight("f32", 4, 17),
    }), only));
  Deno.test(`attention with sinks (${strategy})`, () =>
    check(SMALL, (lab) => ({ sinks: lab.weight("f32", 1, 4, [-1, 0, 1, 5]) }), only));
  Deno.test(`attention with sinks, the context split (${strategy})`, () =>
    check(
      { ...SMALL, tokens: 1, position: 1030 },
      (lab) => ({ sinks: lab.weight("f32", 1, 4, [-1, 0, 1, 5]) }),
      only,
    ));
  Deno.test(`attention whose scores grow with the position (${strategy})`, () =>
    check(
      { ...SMALL, tokens: 5, position: 14 },
      { temperature: { scale: 0.3, interval: 8, offset: 0 } },
      only,
    ));
}

Deno.test("attention stays finite when scores reach 1e5", () => check(SMALL, { scale: 1e5 }));

for (const workgroup of [8, 64, 256]) {
  Deno.test(`attention in workgroups of ${workgroup} lanes`, () =>
    check(SMALL, {}, { strategy: "teams", workgroup }));
}
