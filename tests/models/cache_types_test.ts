/**
 * What rounding keys and values does to logits. Kernels round as the reference does, so the device is held to the reference with the same
 * cache; and the reference's own error, against a float32 cache, is held to what theory says of a rounded number.
 *
 * Float16 rounds a normally distributed number of deviation s to 2.0e-4 s (root mean square: 2^-10 over the square root of 12, times the
 * mean power of two below the number), Q8_0 to 4.8e-3 s (a 127th of the largest of 32, which is about 2.1 s, over the square root of
 * 12): 23 times as much, and logits follow in proportion as long as errors are small. (Where a router chooses experts they need not be: it may
 * choose others.)
 */
import type { Engine } from "../../src/inference/engine.ts";
import { ReferenceEngine } from "../../src/inference/reference_engine.ts";
import { promptChunks } from "../../src/inference/prompt_chunks.ts";
import type { CacheType } from "../../src/kernels/cache_types.ts";
import { openModel } from "../../src/models/open_model.ts";
import { type Alteration, alterGguf } from "../support/altered_gguf.ts";
import { assert, assertAllNear, maxAbsDifference } from "../support/assert.ts";
import { checkLogits, CONTEXT, goldenCase, goldenModel, logitsOf } from "../support/golden.ts";
import { randomNumbers } from "../kernels/harness.ts";
import { TempDirectory } from "../support/temp.ts";
import { openVulkanEngine } from "../support/vulkan_executor.ts";

/** Q8_0's rounding error over float16's. */
const RATIO = 23;
/** How far the ratio of two largest errors may be from that of their means, either way. */
const SCATTER = 4;
/** Of the cost: both forms round alike, but for numbers that lie between two steps to the last bits. */
const DISAGREEMENT = 0.25;

interface Prompt {
  readonly tokens: number[];
  readonly decoder_tokens?: number[];
  readonly logits_last: number[];
  readonly top5_each_position: [id: number, logit: number][][];
}

/** Types, and the kernels and batches that they are tried with. */
const TYPES = [
  {
    keys: "q8_0",
    values: "q8_0",
    runs: [
      { strategy: "lanes", ubatch: 1 },
      { strategy: "lanes", ubatch: 7 },
      { strategy: "lanes", ubatch: 64 },
      { strategy: "teams", ubatch: 1 },
      { strategy: "teams", ubatch: 7 },
    ],
  },
  {
    keys: "q8_0",
    values: "f32",
    runs: [{ strategy: "lanes", ubatch: 7 }, { strategy: "teams", ubatch: 64 }],
  },
  {
    keys: "f16",
    values: "q8_0",
    runs: [{ strategy: "lanes", ubatch: 7 }, { strategy: "teams", ubatch: 64 }],
  },
] as const;

interface Case {
  readonly title: string;
  readonly golden: string;
  /** Makes the heads a multiple of 32 elements, where they are none. */
  readonly change?: Alteration;
}

const CASES: readonly Case[] = [
  { title: "two key heads of 64 for four query heads", golden: "llama_q4_k_m" },
  { title: "one key head for all", golden: "gemma" },
  { title: "norms of queries and keys", golden: "qwen3" },
  { title: "attention layers among recurrent ones", golden: "qwen35" },
  {
    title: "ALiBi",
    golden: "mpt",
    change: { set: [["mpt.attention.head_count", "u32", 2]] },
  },
  {
    title: "a rotation of part of each head",
    golden: "phi2",
    change: { set: [["phi2.attention.head_count", "u32", 2], ["phi2.attention.head_count_kv", "u32", 2]] },
  },
  {
    title: "windows and capped scores",
    golden: "gemma2",
    change: {
      set: [
        ["gemma2.attention.head_count", "u32", 3],
        ["gemma2.attention.head_count_kv", "u32", 1],
        ["gemma2.attention.key_length", "u32", 32],
        ["gemma2.attention.value_length", "u32", 32],
      ],
      add: [0, 1, 2].flatMap((layer) =>
        ["k", "v"].map((part, i) => weights(`blk.${layer}.attn_${part}.weight`, [64, 32], 2 * layer + i + 1))
      ),
    },
  },
  {
    title: "an encoder's keys and values",
    golden: "t5",
    change: {
      set: [
        ["t5.attention.head_count", "u32", 2],
        ["t5.attention.key_length", "u32", 32],
        ["t5.attention.value_length", "u32", 32],
      ],
      add: ["enc", "dec"].map((side, i) => weights(`${side}.blk.0.attn_rel_b.weight`, [2, 32], i + 9)),
    },
  },
];

/** A made-up matrix with numbers as large as those of the golden models. */
function weights(name: string, dims: readonly [number, number], seed: number) {
  const random = randomNumbers(seed);
  return { name, dims, values: Float32Array.from({ length: dims[0] * dims[1] }, () => random() - 0.5) };
}

/** Logits at all positions. */
async function logits(engine: Engine, prompt: Prompt): Promise<Float32Array[]> {
  const { tokens, decoder_tokens: decoderTokens } = prompt;
  if (!decoderTokens) return await logitsOf(engine, tokens);
  await engine.encode!(Int32Array.from(tokens));
  const rows: Float32Array[] = [];
  for (const batch of promptChunks(decoderTokens, 0, engine.ubatch)) {
    const { length } = batch.tokens;
    const together = await engine.forward(batch, length);
    const vocab = together.length / length;
    for (let r = 0; r < length; r++) rows.push(together.subarray(r * vocab, (r + 1) * vocab));
  }
  return rows;
}

function difference(a: readonly Float32Array[], b: readonly Float32Array[]): number {
  return Math.max(...a.map((row, i) => maxAbsDifference(row, b[i])));
}

for (const { title, golden, change } of CASES) {
  Deno.test(`a cache of q8_0 costs what its rounding must, with ${title} (${golden})`, async () => {
    using folder = new TempDirectory();
    const path = change ? folder.join("heads.gguf") : goldenModel(golden);
    if (change) alterGguf(goldenModel(golden), path, change);
    using model = openModel(path, CONTEXT);
    const prompt = goldenCase<{ prompts: Prompt[] }>(golden).prompts.at(-1)!;
    const reference = async (keys: CacheType, values: CacheType) => {
      using engine = new ReferenceEngine(model, CONTEXT, { keys, values });
      return await logits(engine, prompt);
    };
    const exact = await reference("f32", "f32");
    const half = difference(await reference("f16", "f16"), exact);
    for (const { keys, values, runs } of TYPES) {
      const rounded = await reference(keys, values);
      const cost = difference(rounded, exact);
      const label = `keys ${keys}, values ${values}: cost ${cost}, of float16 ${half}`;
      assert(cost < SCATTER * RATIO * half, label);
      assert(cost > RATIO / SCATTER * half, label);
      for (const { strategy, ubatch } of runs) {
        using engine = await openVulkanEngine(model, ubatch, {
          cacheTypes: { keys, values },
          kernels: { strategy },
        });
        const rows = await logits(engine, prompt);
        const apart = difference(rows, rounded);
        assert(apart < DISAGREEMENT * cost, `${label}: ${apart} on ${strategy} in batches of ${ubatch}`);
        if (!change) checkLogits(rows, prompt, SCATTER * RATIO * half);
      }
    }
  });
}

Deno.test("a cache of q8_0 that is cut back goes on as a fresh one would", async () => {
  using model = openModel(goldenModel("qwen3"), CONTEXT);
  using engine = await openVulkanEngine(model, 16, { cacheTypes: { keys: "q8_0", values: "q8_0" } });
  const tokens = Array.from({ length: 12 }, (_, i) => (i * 37 + 5) % 250);
  const fresh = (await logitsOf(engine, tokens)).at(-1);
  await engine.forward({ tokens: Int32Array.of(1, 2, 3, 4, 5), position: 7 }, 1);
  const again = await engine.forward({ tokens: Int32Array.from(tokens.slice(7)), position: 7 }, 1);
  // The batch is another one, and so are the orders of some sums.
  assertAllNear(again, fresh!, 1e-4);
});
