/** The estimate of a model's memory against what it takes, and what is said where that is not there. */
import { embed } from "../../src/inference/embed.ts";
import { loadModel, type LoadOptions } from "../../src/inference/load_model.ts";
import { checkMemory, memoryNeeds } from "../../src/inference/memory_needs.ts";
import { resolveSampling } from "../../src/inference/sampling/mod.ts";
import { KernelSet } from "../../src/kernels/kernel_set.ts";
import { openModel } from "../../src/models/open_model.ts";
import { assert, assertEquals, assertFails } from "../support/assert.ts";
import { withEnv } from "../support/env.ts";
import { goldenModel } from "../support/golden.ts";
import { sharedDevice } from "../support/vulkan_executor.ts";

const CHOICES = {
  contextLength: 2048,
  ubatch: 64,
  cacheTypes: { keys: "f16", values: "f16" },
} as const;

function needsOf(name: string, changes: Partial<Parameters<typeof memoryNeeds>[2]> = {}): number {
  using model = openModel(goldenModel(name), changes.contextLength ?? CHOICES.contextLength);
  const { kernels } = sharedDevice();
  const { weights, state, working } = memoryNeeds(model, kernels, { ...CHOICES, ...changes });
  return weights + state + working;
}

/** Loads a model and uses all of it: a whole batch, small ones, a generation, a second prompt. */
async function useAll(name: string, options: LoadOptions): Promise<void> {
  await using model = await loadModel(goldenModel(name), options);
  if (model.open.family.kind === "encoder") {
    using engine = model.createEngine();
    return void await embed(model.open, engine, new Array(options.contextLength).fill(5));
  }
  using session = model.createSession();
  const sampling = resolveSampling({ temperature: 1, topP: 0.9, repeatPenalty: 1.1, seed: 1 });
  for (const length of [3, 9, 200]) {
    const stream = session.generate(new Array(length).fill(5), { sampling, maxTokens: 4, ignoreEos: true });
    for await (const _ of stream);
  }
}

for (
  const [name, contextLength] of [["llama2", 2048], ["qwen35", 2048], ["mixtral", 2048], [
    "bert_mean",
    64,
  ]] as const
) {
  Deno.test(`a model runs in as much memory as was estimated (${name})`, async () => {
    using model = openModel(goldenModel(name), contextLength);
    const cacheTypes = model.family.kind === "encoder"
      ? { keys: "f32", values: "f32" } as const
      : CHOICES.cacheTypes;
    const needed = needsOf(name, { contextLength, cacheTypes });
    await withEnv(
      { ZINC_VK_MEMORY_LIMIT: String(needed) },
      () => useAll(name, { contextLength, ubatch: CHOICES.ubatch }),
    );
  });
}

Deno.test("loadModel() refuses what does not fit before it reads a weight, with what to lower", async () => {
  const load = (bytes: number, options: LoadOptions = {}) => {
    let pieces = 0;
    const { contextLength, ubatch } = CHOICES;
    const onProgress = () => void pieces++;
    return withEnv({ ZINC_VK_MEMORY_LIMIT: String(bytes) }, async () => {
      try {
        await using _ = await loadModel(goldenModel("llama_q4_k_m"), {
          contextLength,
          ubatch,
          onProgress,
          ...options,
        });
      } catch (error) {
        assertEquals(pieces, 0);
        throw error;
      }
    });
  };
  const all = needsOf("llama_q4_k_m");
  const half = needsOf("llama_q4_k_m", { contextLength: 1024 });
  const [small, shortBatch] = [
    needsOf("llama_q4_k_m", { cacheTypes: { keys: "q8_0", values: "q8_0" } }),
    needsOf("llama_q4_k_m", { ubatch: 32 }),
  ];
  assert(half < small && small < shortBatch && shortBatch < all, `${[half, small, shortBatch, all]}`);
  await assertFails(
    () => load(shortBatch),
    /free; try --ubatch 32 or --cache-type-k q8_0 --cache-type-v q8_0 or -c 1024$/,
  );
  await assertFails(() => load(small), /free; try --cache-type-k q8_0 --cache-type-v q8_0 or -c 1024$/);
  await assertFails(
    () => load(half),
    /^Cannot load ".*": it needs [\d.]+ MiB on .* \(weights .*, context of 2048 .*, working memory .*\), .* are free; try -c 1024$/,
  );
  await assertFails(() => load(1 << 20), /; choose a smaller model or quantization$/);
  await load(half, { contextLength: 1024 });
});

Deno.test("checkMemory() judges a context of any length at once", async () => {
  using model = openModel(goldenModel("llama2"), 100_000_000);
  const { device } = sharedDevice();
  const contextLength = model.contextLength;
  assertEquals(contextLength, 100_000_000);
  const free = 2 ** 30;
  const small = { info: device.info, memoryBudget: () => ({ free, total: 2 * free }) };
  await assertFails(
    () => checkMemory(model, new KernelSet(device), small, { ...CHOICES, contextLength }),
    /context of 100000000 [\d.]+ GiB.*1.00 GiB of 2.00 GiB are free; try -c \d+$/,
  );
});
