import { attentionDecode, type AttentionDecodeNode } from "../../src/kernels/attention_decode.ts";
import { cutDecode } from "../../src/kernels/attention_decode_plan.ts";
import type { AttentionNode } from "../../src/kernels/attention.ts";
import type { AttentionInputsNode } from "../../src/kernels/attention_inputs.ts";
import type { CacheType } from "../../src/kernels/cache_types.ts";
import type { KernelSetOptions } from "../../src/kernels/kernel_set.ts";
import { assertEquals } from "../support/assert.ts";
import { assertClose, type Lab, openBench } from "./harness.ts";

const bench = openBench();
/** The new key and value are rounded to float16. */
const TOLERANCE = 1e-3;
const EXACT = 5e-6;
/** Of the largest number in a block of Q8_0, with its scale in float16: numbers halfway between two steps may go either way. */
const ONE_STEP = 1 / 127 + 2 ** -11;

interface Shape {
  heads: number;
  kvHeads: number;
  headDim: number;
  position: number;
  /** Rows of the cache, for which the plan is made; just enough by default. */
  cached?: number;
  rotaryDim?: number;
  rotaryOffset?: number;
  pairing?: "adjacent" | "halves";
  norm?: boolean;
  gated?: boolean;
  /** What keys and values are stored as; float16 by default. */
  types?: readonly [CacheType, CacheType];
  /** All queries, keys and values are 0 but for values that tell where they are from. */
  counting?: boolean;
}

const SMALL: Shape = { heads: 4, kvHeads: 2, headDim: 32, position: 37 };

function nodeOf(lab: Lab, shape: Shape, more: Partial<AttentionNode>): AttentionDecodeNode {
  const { heads, kvHeads, headDim, position, cached = position + 1, counting } = shape;
  const { rotaryDim = headDim, rotaryOffset = 0, pairing = "halves" } = shape;
  const row = (columns: number) => lab.weight("f32", 1, columns);
  const input = (width: number) => lab.value(1, width, counting ? () => 0 : undefined);
  const width = heads * headDim;
  const [projected, k, v] = [shape.gated ? 2 * width : width, kvHeads * headDim, kvHeads * headDim].map(
    input,
  );
  const temporary = () => lab.value(1, width);
  const [keys, values] = (shape.types ?? ["f16", "f16"]).map((type) =>
    lab.kv(cached, kvHeads * headDim, type)
  );
  if (counting) {
    lab.stateOf(keys).fill(0);
    lab.stateOf(values).forEach((_, i, all) =>
      all[i] = Math.floor(i / values.width) % headDim === i % headDim ? 1 : 0
    );
  }
  // What lies beyond the positions so far may be anything.
  for (const slot of [keys, values]) lab.stateOf(slot).fill(NaN, position * slot.width);
  const [queries, gates, rotated, attended, y] = Array.from({ length: 5 }, temporary);
  const prepare: AttentionInputsNode = {
    op: "attention_inputs",
    inputs: [shape.gated ? queries : projected, k, v],
    outputs: [rotated],
    keys,
    values,
    rope: { headDim, rotaryDim, rotaryOffset, pairing, frequencies: row(rotaryDim / 2), magnitude: 1.25 },
    norm: shape.norm ? { query: row(headDim), key: row(headDim), epsilon: 1e-5 } : undefined,
  };
  const attention: AttentionNode = {
    op: "attention",
    inputs: [rotated],
    outputs: [shape.gated ? attended : y],
    keys,
    values,
    heads,
    kvHeads,
    headDim,
    valueDim: headDim,
    scale: 1 / Math.sqrt(headDim),
    window: 0,
    chunk: 0,
    causal: true,
    softcap: 0,
    ...more,
  };
  const gating: AttentionDecodeNode["gating"] = shape.gated
    ? {
      split: { op: "deinterleave", inputs: [projected], outputs: [queries, gates], heads },
      product: { op: "gated", inputs: [gates, attended], outputs: [y], activation: "sigmoid" },
    }
    : undefined;
  return { op: "attention_decode", inputs: [projected, k, v], outputs: [y], prepare, attention, gating };
}

async function check(
  shape: Shape,
  more: Partial<AttentionNode> | ((lab: Lab) => Partial<AttentionNode>) = {},
  options: KernelSetOptions & { tolerance?: number } = {},
): Promise<void> {
  using lab = bench.lab({ strategy: "teams", ...options });
  const node = nodeOf(lab, shape, typeof more === "function" ? more(lab) : more);
  const { keys, values } = node.attention;
  const { position } = shape;
  const { tolerance = TOLERANCE } = options;
  const contextBucket = shape.cached ?? position + 1;
  const batch = { position, tokens: new Int32Array(1) };
  const results = await lab.run(attentionDecode, node, { batch, contextBucket });
  const seen = (all: Float32Array) => {
    let at = node.outputs[0].width;
    const parts = [all.subarray(0, at)];
    for (const { width } of [keys, values]) {
      parts.push(all.subarray(at, at + (position + 1) * width));
      at += contextBucket * width;
    }
    return new Float32Array(parts.flatMap((part) => [...part]));
  };
  const visible = { actual: seen(results.actual), expected: seen(results.expected) };
  assertClose(visible, tolerance, JSON.stringify({ ...shape, ...options }));
}

for (const norm of [false, true]) {
  const kind = norm ? "normed" : "plain";
  for (const pairing of ["adjacent", "halves"] as const) {
    Deno.test(`attention_decode rotates pairs that are ${pairing} (${kind})`, () =>
      check({ ...SMALL, norm, pairing }));
    Deno.test(`attention_decode copies what lies around the rotated part, pairs ${pairing} (${kind})`, () =>
      check({ ...SMALL, rotaryDim: 16, rotaryOffset: 8, norm, pairing }));
  }
  for (const headDim of norm ? [8, 24, 80, 128] : [16, 64]) {
    Deno.test(`attention_decode works with heads of ${headDim} elements (${kind})`, () =>
      check({ ...SMALL, headDim, norm }));
  }
  Deno.test(`attention_decode separates queries and gates (${kind})`, async () => {
    await check({ ...SMALL, norm, gated: true });
    await check({ ...SMALL, norm, gated: true, headDim: 64, position: 700 });
  });
}

for (const [heads, kvHeads] of [[1, 1], [3, 1], [9, 3], [20, 1], [14, 2]]) {
  Deno.test(`attention_decode shares ${kvHeads} key heads among ${heads} query heads`, async () => {
    await check({ ...SMALL, heads, kvHeads });
    await check({ ...SMALL, heads, kvHeads, position: 300, cached: 512 });
  });
}

for (const position of [0, 1, 2, 63, 64, 255, 256, 257, 511, 767, 1023, 1024, 1500]) {
  Deno.test(`attention_decode sees each of ${position + 1} positions once`, async () => {
    for (const cached of [position + 1, Math.max(position + 1, 256), 2048]) {
      await check({ ...SMALL, position, cached, counting: true }, {}, { tolerance: EXACT });
    }
  });
}

for (const position of [3, 99, 100, 101, 700]) {
  Deno.test(`attention_decode at position ${position} with a window of 100`, async () => {
    await check({ ...SMALL, position, cached: 1024, counting: true }, { window: 100 }, { tolerance: EXACT });
    await check({ ...SMALL, position, cached: 1024 }, { window: 100 });
  });
  Deno.test(`attention_decode at position ${position} in chunks of 100`, () =>
    check({ ...SMALL, position, cached: 1024, counting: true }, { chunk: 100 }, { tolerance: EXACT }));
}

for (const types of [["q8_0", "q8_0"], ["q8_0", "f16"], ["f16", "q8_0"]] as const) {
  Deno.test(`attention_decode keeps keys as ${types[0]} and values as ${types[1]}`, async () => {
    for (const headDim of [32, 64]) {
      await check({ ...SMALL, headDim, types, norm: true }, {}, { tolerance: ONE_STEP });
      await check({ ...SMALL, headDim, types, position: 600 }, {}, { tolerance: ONE_STEP });
    }
  });
}

Deno.test("attention_decode with a window longer than the context", () =>
  check({ ...SMALL, cached: 256 }, { window: 1000 }));
Deno.test("attention_decode with a long window, its positions split", () =>
  check({ ...SMALL, position: 3000, cached: 4096, counting: true }, { window: 2000 }, { tolerance: EXACT }));
Deno.test("attention_decode with capped scores", () => check(SMALL, { softcap: 2, scale: 3 }));
Deno.test("attention_decode whose scores grow with the position", () =>
  check(SMALL, { temperature: { scale: 0.3, interval: 8, offset: 0 } }));
Deno.test("attention_decode with sinks, the context whole or split", async () => {
  const sinks = (lab: Lab) => ({ sinks: lab.weight("f32", 1, 4, [-1, 0, 1, 5]) });
  await check(SMALL, sinks);
  await check({ ...SMALL, position: 1030, cached: 2048, gated: true }, sinks);
});
Deno.test("attention_decode stays finite when scores reach 1e5", () =>
  check({ ...SMALL, position: 2 }, { scale: 1e4 }));
Deno.test("attention_decode leaves caches and heads that it cannot read to other kernels", async () => {
  await check({ ...SMALL, norm: true, gated: true, types: ["f32", "f32"] });
  await check({ ...SMALL, headDim: 20 });
  await check({ ...SMALL, rotaryDim: 4 });
});
Deno.test("attention_decode leaves software devices to other kernels", () =>
  check({ ...SMALL, norm: true, gated: true }, {}, { strategy: "lanes" }));

/** Subgroups of 32 and what an H200 allows. */
const LARGE_GPU = { subgroup: 32, workgroup: 512, sharedBytes: 48 * 1024 };

Deno.test("cutDecode() keeps a short context whole and gives each query head a workgroup", () => {
  const { rows, parts, rowBlocks } = cutDecode({
    ...LARGE_GPU,
    kvHeads: 8,
    group: 4,
    headDim: 128,
    span: 256,
  });
  assertEquals([rows, parts, rowBlocks], [1, 1, 4]);
});

Deno.test("cutDecode() cuts a long context into as many parts as keep the device busy", () => {
  const parts = (kvHeads: number, group: number, headDim: number) =>
    [512, 1024, 2048, 4096, 131072].map((span) =>
      cutDecode({ ...LARGE_GPU, kvHeads, group, headDim, span }).parts
    );
  assertEquals(parts(8, 4, 128), [8, 16, 16, 16, 16]);
  assertEquals(parts(3, 3, 64), [1, 8, 16, 32, 32]);
  assertEquals(parts(2, 8, 256), [32, 32, 32, 32, 32]);
});

Deno.test("cutDecode() keeps to the shared memory and the workgroups that a device has", () => {
  const shape = { kvHeads: 2, group: 8, headDim: 256, span: 4096 };
  assertEquals(cutDecode({ ...LARGE_GPU, ...shape }).workgroup, 256);
  assertEquals(cutDecode({ ...LARGE_GPU, ...shape, sharedBytes: 16 * 1024 }).workgroup, 128);
  assertEquals(cutDecode({ ...LARGE_GPU, ...shape, workgroup: 64 }).rows, 2);
});
