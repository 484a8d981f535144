/**
 * Runs a golden case (tests/golden/README.md) on an executor and compares everything its JSON states.
 *
 * Executors are passed in, so that one test holds for all of them: `for (const executor of EXECUTORS)`.
 */
import type { Engine } from "../../src/inference/engine.ts";
import { pool, type Pooling, poolingOf } from "../../src/inference/pooling.ts";
import { promptChunks } from "../../src/inference/prompt_chunks.ts";
import { ReferenceEngine } from "../../src/inference/reference_engine.ts";
import type { CacheTypes } from "../../src/kernels/cache_types.ts";
import type { FamilyKind } from "../../src/models/family.ts";
import { type OpenModel, openModel } from "../../src/models/open_model.ts";
import { assert, assertAllNear, assertEquals, assertNear } from "./assert.ts";
import { openVulkanEngine } from "./vulkan_executor.ts";

/** Something that runs models. */
export interface Executor {
  readonly name: string;
  /** An engine for one sequence of `model` that takes at most `ubatch` tokens at a time. */
  open(model: OpenModel, ubatch: number): Engine | Promise<Engine>;
  /** Which of a case's tolerances applies. */
  readonly cache: "float32" | "float16";
  /** Tokens per batch that a case is run with. */
  readonly chunkSizes: readonly number[];
}

/** The readable one. */
export const REFERENCE: Executor = {
  name: "reference",
  open: (model, ubatch) => new ReferenceEngine(model, ubatch),
  cache: "float32",
  // One that is odd and smaller than every prompt, and one that is larger than all.
  chunkSizes: [7, 512],
};

/** The fast one. */
export const VULKAN: Executor = {
  name: "vulkan",
  open: openVulkanEngine,
  cache: "float16",
  chunkSizes: [1, 7, 64, 512],
};

/** A cache that rounds nothing. */
export const FLOAT32_CACHE: CacheTypes = { keys: "f32", values: "f32" };

/** The fast one with a cache as exact as the readable one's: for results of which nobody knows what float16 does to them. */
export const VULKAN_FLOAT32: Executor = {
  ...VULKAN,
  name: "vulkan with a float32 cache",
  open: (model, ubatch) => openVulkanEngine(model, ubatch, { cacheTypes: FLOAT32_CACHE }),
  cache: "float32",
};

/** Every executor that the golden tests run on. */
export const EXECUTORS: readonly Executor[] = [REFERENCE, VULKAN];

/** Context that the cases are opened with unless they say otherwise. */
export const CONTEXT = 512;

/** A prompt and what follows it. */
export interface DecoderPrompt {
  readonly tokens: number[];
  readonly logits_last: number[];
  readonly top5_each_position: [id: number, logit: number][][];
  readonly greedy: number[];
}

/** What the JSON of a decoder states. */
export interface DecoderCase {
  readonly context_for_test?: number;
  readonly tolerance: number;
  readonly tolerance_with_float16_kv_cache?: number;
  readonly prompts: DecoderPrompt[];
}

/** Path of a case's model. */
export function goldenModel(name: string): string {
  return new URL(`../golden/${name}.gguf`, import.meta.url).pathname;
}

/** What the JSON of a case states. */
export function goldenCase<T>(name: string): T {
  const text = Deno.readTextFileSync(new URL(`../golden/${name}.json`, import.meta.url));
  // Python writes an infinite hyper-parameter of the Mamba-2 cases as a word that JSON does not have.
  return JSON.parse(text.replace(/\bInfinity\b/g, "null"));
}

/** Names of all cases that feed tokens to a model. */
export function goldenNames(): string[] {
  const names = goldenCase<{ name: string }[]>("index").map(({ name }) => name);
  return names.filter((name) => goldenCase<Partial<DecoderCase>>(name).prompts?.[0].tokens);
}

/** Declares a test of a decoder case on every executor; `title` says what the family does differently. */
export function testDecoder(title: string, caseName: string): void {
  for (const executor of EXECUTORS) {
    Deno.test(`${title} (${caseName} on ${executor.name})`, () => checkDecoder(caseName, executor));
  }
}

/** Compares logits and greedy continuations of a decoder case for every chunk size. */
export async function checkDecoder(name: string, executor: Executor): Promise<void> {
  const expected = goldenCase<DecoderCase>(name);
  using model = openModel(goldenModel(name), expected.context_for_test ?? CONTEXT);
  for (const ubatch of executor.chunkSizes) {
    using engine = await executor.open(model, ubatch);
    for (const prompt of expected.prompts) await checkPrompt(engine, prompt, toleranceOf(expected, executor));
  }
}

async function checkPrompt(engine: Engine, prompt: DecoderPrompt, tolerance: number): Promise<void> {
  const rows = await logitsOf(engine, prompt.tokens);
  checkLogits(rows, prompt, tolerance);
  await checkGreedy(engine, rows.at(-1)!, rows.length, prompt.greedy, tolerance);
}

/** Follows the best token of each step from `first` on, the next one to be fed at `position`. */
async function checkGreedy(
  engine: Engine,
  first: Float32Array,
  position: number,
  greedy: readonly number[],
  tolerance: number,
): Promise<void> {
  let logits = first;
  for (const [step, token] of greedy.entries()) {
    const best = argmax(logits);
    // A closer race than twice the allowed error has no certain winner, and what follows hangs on it.
    if (best !== token && logits[best] - logits[token] <= 2 * tolerance) break;
    assertEquals(best, token, `greedy token ${step}`);
    logits = await engine.forward({ tokens: Int32Array.of(token), position: position + step }, 1);
  }
}

/** Compares everything that a case states, whatever kind of model it is. */
export async function checkCase(name: string, executor: Executor): Promise<void> {
  switch (kindOf(name)) {
    case "decoder":
      return await checkDecoder(name, executor);
    case "encoder":
      return await checkEncoder(name, executor);
    case "encoder-decoder":
      return await checkEncoderDecoder(name, executor);
  }
}

function kindOf(name: string): FamilyKind {
  using model = openModel(goldenModel(name), CONTEXT);
  return model.family.kind;
}

interface EncoderPrompt {
  readonly tokens: number[];
  readonly embedding: number[];
  readonly embedding_mean: number[];
  readonly embedding_cls: number[];
  readonly embedding_last_token: number[];
}

interface EncoderCase {
  readonly pooling: string;
  readonly tolerance: number;
  readonly prompts: EncoderPrompt[];
}

/** Declares a test of an encoder case on every executor. */
export function testEncoder(title: string, caseName: string): void {
  for (const executor of EXECUTORS) {
    Deno.test(`${title} (${caseName} on ${executor.name})`, () => checkEncoder(caseName, executor));
  }
}

/** Compares the vectors of every pooling; a text is always one batch. */
export async function checkEncoder(name: string, executor: Executor): Promise<void> {
  const expected = goldenCase<EncoderCase>(name);
  using model = openModel(goldenModel(name), CONTEXT);
  using engine = await executor.open(model, CONTEXT);
  assertEquals<string>(poolingOf(model), expected.pooling, "the file's pooling");
  for (const prompt of expected.prompts) {
    engine.clear();
    const { tokens } = prompt;
    const states = await engine.forward({ tokens: Int32Array.from(tokens), position: 0 }, tokens.length);
    const compare = (pooling: Pooling, vector: number[]) =>
      assertAllNear(
        pool(states, model.config.hidden, pooling),
        vector,
        expected.tolerance,
        `${pooling} pooling:`,
      );
    compare(poolingOf(model), prompt.embedding);
    compare("mean", prompt.embedding_mean);
    compare("cls", prompt.embedding_cls);
    compare("last", prompt.embedding_last_token);
  }
}

interface TranslationPrompt extends DecoderPrompt {
  readonly decoder_tokens: number[];
}

/** Declares a test of an encoder-decoder case on every executor: `tokens` are the source text. */
export function testEncoderDecoder(title: string, caseName: string): void {
  for (const executor of EXECUTORS) {
    Deno.test(`${title} (${caseName} on ${executor.name})`, () => checkEncoderDecoder(caseName, executor));
  }
}

/** Compares the decoder's logits and its greedy text from the start token alone, for every chunk size of the decoder. */
export async function checkEncoderDecoder(name: string, executor: Executor): Promise<void> {
  const expected = goldenCase<{ tolerance: number; prompts: TranslationPrompt[] }>(name);
  using model = openModel(goldenModel(name), CONTEXT);
  const start = model.family.decoderStart!(model.config);
  for (const ubatch of executor.chunkSizes) {
    using engine = await executor.open(model, ubatch);
    for (const prompt of expected.prompts) {
      const source = Int32Array.from(prompt.tokens);
      await engine.encode!(source);
      checkLogits(await continuedLogits(engine, prompt.decoder_tokens), prompt, expected.tolerance);
      await engine.encode!(source);
      const [logits] = await continuedLogits(engine, [start]);
      await checkGreedy(engine, logits, 1, prompt.greedy, expected.tolerance);
    }
  }
}

/** The rows' last logits and five best of each. */
export function checkLogits(
  rows: readonly Float32Array[],
  prompt: Pick<DecoderPrompt, "logits_last" | "top5_each_position">,
  tolerance: number,
): void {
  assertAllNear(rows.at(-1)!, prompt.logits_last, tolerance, "logits of the last position:");
  for (const [position, best] of prompt.top5_each_position.entries()) {
    for (const [id, logit] of best) {
      assertNear(rows[position][id], logit, tolerance, `token ${id} at position ${position}:`);
    }
    const fifth = best.at(-1)![1];
    const ids = new Set(best.map(([id]) => id));
    const intruder = rows[position].findIndex((logit, id) => !ids.has(id) && logit > fifth + 2 * tolerance);
    assertEquals(intruder, -1, `a token outside the five best of position ${position}`);
  }
}

/** Logits at every position of `tokens`, from an empty state. */
export function logitsOf(engine: Engine, tokens: readonly number[]): Promise<Float32Array[]> {
  engine.clear();
  return continuedLogits(engine, tokens);
}

/** The same from the state as it is, which must hold nothing but an encoded text. */
async function continuedLogits(engine: Engine, tokens: readonly number[]): Promise<Float32Array[]> {
  const rows: Float32Array[] = [];
  for (const batch of promptChunks(tokens, 0, engine.ubatch)) {
    const logits = await engine.forward(batch, batch.tokens.length);
    const width = logits.length / batch.tokens.length;
    for (let r = 0; r < batch.tokens.length; r++) rows.push(logits.slice(r * width, (r + 1) * width));
  }
  assert(rows.length === tokens.length);
  return rows;
}

/** What a case allows of an executor's cache. */
export function toleranceOf(expected: DecoderCase, executor: Pick<Executor, "cache">): number {
  const float16 = expected.tolerance_with_float16_kv_cache;
  return executor.cache === "float16" && float16 !== undefined ? float16 : expected.tolerance;
}

function argmax(values: Float32Array): number {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i;
  return best;
}
