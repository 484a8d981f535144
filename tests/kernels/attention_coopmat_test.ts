import { attention, type AttentionNode } from "../../src/kernels/attention.ts";
import type { CacheType } from "../../src/kernels/cache_types.ts";
import { hasCoopmat } from "../support/device_features.ts";
import { assertClose, type Lab, openBench } from "./harness.ts";

const bench = openBench();
/** Queries and weights are rounded to float16. */
const TOLERANCE = 2e-3;
const ignore = !hasCoopmat();

interface Shape {
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly valueDim?: number;
  readonly tokens: number;
  /** Position of the first token. */
  readonly position: number;
  readonly encoderLength?: number;
  /** Float16 by default. */
  readonly keyType?: CacheType;
  readonly valueType?: CacheType;
}

const SMALL: Shape = { heads: 4, kvHeads: 2, headDim: 64, tokens: 40, position: 37 };

function test(
  name: string,
  shape: Partial<Shape>,
  more: Partial<AttentionNode> | ((lab: Lab) => Partial<AttentionNode>) = {},
): void {
  Deno.test({
    name: `${name}, on matrix units${ignore ? " (the device has none)" : ""}`,
    ignore,
    fn: () => check({ ...SMALL, ...shape }, more),
  });
}

async function check(
  shape: Shape,
  more: Partial<AttentionNode> | ((lab: Lab) => Partial<AttentionNode>),
): Promise<void> {
  const { heads, kvHeads, headDim, valueDim = headDim, tokens, position, encoderLength } = shape;
  const { keyType = "f16", valueType = "f16" } = shape;
  using lab = bench.lab({ strategy: "teams", busyWorkgroups: 1 });
  const cached = Math.max(position + tokens, encoderLength ?? 0);
  const node: AttentionNode = {
    op: "attention",
    inputs: [lab.value(tokens, heads * headDim)],
    outputs: [lab.value(tokens, heads * valueDim)],
    keys: lab.kv(cached, kvHeads * headDim, keyType),
    values: lab.kv(cached, kvHeads * valueDim, valueType),
    heads,
    kvHeads,
    headDim,
    valueDim,
    scale: 3 / Math.sqrt(headDim),
    window: 0,
    chunk: 0,
    causal: true,
    softcap: 0,
    ...(typeof more === "function" ? more(lab) : more),
  };
  const batch = { position, tokens: new Int32Array(tokens), encoderLength };
  const results = await lab.run(attention, node, { contextBucket: cached, batch });
  assertClose(results, TOLERANCE, JSON.stringify(shape));
}

for (const headDim of [16, 64, 80, 128]) {
  test(`attention of a prompt with heads of ${headDim} elements`, { headDim });
}
test("attention of a prompt with heads of 256 elements, values in two parts", { headDim: 256, tokens: 20 });
test("attention of a prompt whose values are shorter than its keys", {
  headDim: 192,
  valueDim: 128,
  tokens: 20,
});

for (const [heads, kvHeads] of [[1, 1], [9, 3], [20, 1], [8, 8]]) {
  test(`attention of a prompt sharing ${kvHeads} key heads among ${heads} query heads`, { heads, kvHeads });
}
for (const [tokens, position] of [[9, 0], [31, 1], [64, 0], [65, 200], [130, 63]]) {
  test(`attention of ${tokens} tokens after ${position} others`, { tokens, position });
}

for (const [keyType, valueType] of [["q8_0", "q8_0"], ["q8_0", "f16"], ["f16", "q8_0"]] as const) {
  test(`attention of a prompt over keys of ${keyType} and values of ${valueType}`, { keyType, valueType });
}
test("attention of a prompt over blocks, values in two parts", {
  headDim: 256,
  tokens: 20,
  keyType: "q8_0",
  valueType: "q8_0",
});

test("attention of a prompt with a sliding window", {}, { window: 5 });
test("attention of a prompt with a window of two tiles", { tokens: 100, position: 30 }, { window: 60 });
test("attention of a prompt in chunks", { position: 11 }, { chunk: 8 });
test("attention of an encoder sees the whole batch", { position: 0 }, { causal: false });
test("attention of an encoder with a symmetric window", { position: 0 }, { causal: false, window: 9 });
test("attention over an encoder's keys", { encoderLength: 45 }, { encoder: true, causal: false });
test("attention over an encoder's keys when there are none gives zeros", { encoderLength: 0 }, {
  encoder: true,
  causal: false,
});
test("attention of a prompt with capped scores", {}, { softcap: 2 });
test("attention of a prompt with ALiBi", {}, (lab) => ({
  alibiSlopes: lab.weight("f32", 1, 4, [0.5, 0.25, 0.125, 0.0625]),
}));
test("attention of a prompt with relative biases", { position: 0 }, (lab) => ({
  causal: false,
  relativeBias: lab.weight("f32", 4, 17),
}));
test("attention of a prompt with sinks", {}, (lab) => ({ sinks: lab.weight("f32", 1, 4, [-1, 0, 1, 5]) }));
test("attention of a prompt whose scores grow with the position", { position: 14 }, {
  temperature: { scale: 0.3, interval: 8, offset: 0 },
});
test("attention of a prompt stays finite when queries are beyond float16", {}, (lab) => ({
  inputs: [lab.value(SMALL.tokens, 4 * 64, (i) => i % 4096 === 5 ? 1e30 : lab.random() * 1e-3)],
}));
