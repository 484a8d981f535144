import { resolveSampling, Sampler, type SamplingOptions } from "../../../src/inference/sampling/mod.ts";
import { assert, assertEquals, assertFails } from "../../support/assert.ts";

/** How often each of `vocabulary` tokens comes up in `count` draws from the same logits. */
function histogram(logits: number[], options: Partial<SamplingOptions>, count: number): number[] {
  const sampler = new Sampler(resolveSampling({ topK: 0, topP: 1, minP: 0, ...options }));
  const counts = new Array<number>(logits.length).fill(0);
  for (let i = 0; i < count; i++) counts[sampler.sample(logits)]++;
  return counts;
}

/** Pearson's statistic against `probabilities`; tokens with probability 0 must not come up. */
function chiSquare(counts: number[], probabilities: number[]): number {
  const total = counts.reduce((sum, count) => sum + count, 0);
  return counts.reduce((sum, count, i) => {
    if (probabilities[i] === 0) assertEquals(count, 0, `token ${i} was filtered out`);
    const expected = total * probabilities[i];
    return expected === 0 ? sum : sum + (count - expected) ** 2 / expected;
  }, 0);
}

const PROBABILITIES = [0.1, 0.4, 0.05, 0.25, 0.2];
const LOGITS = PROBABILITIES.map(Math.log);
/** 0.1 % point of the chi-square distribution with 4 degrees of freedom. */
const CHI_SQUARE_4_LIMIT = 18.47;

Deno.test("Sampler draws tokens as often as the softmax says", () => {
  const statistic = chiSquare(histogram(LOGITS, { temperature: 1, seed: 1 }, 20_000), PROBABILITIES);
  assert(statistic < CHI_SQUARE_4_LIMIT, `chi-square ${statistic}`);
});

Deno.test("Sampler at temperature 0.5 draws with squared probabilities", () => {
  const squares = PROBABILITIES.map((p) => p * p);
  const sum = squares.reduce((a, b) => a + b);
  const statistic = chiSquare(
    histogram(LOGITS, { temperature: 0.5, seed: 2 }, 20_000),
    squares.map((p) => p / sum),
  );
  assert(statistic < CHI_SQUARE_4_LIMIT, `chi-square ${statistic}`);
});

Deno.test("Sampler after top-k 4, top-p 0.8 and min-p 0.5 draws among what is left", () => {
  // top-k drops 0.05; of the remaining 0.95, 0.4 + 0.25 + 0.2 reach 0.8 * 0.95 = 0.76; min-p needs 0.2.
  const options = { temperature: 1, topK: 4, topP: 0.8, minP: 0.49, seed: 3 };
  const expected = [0, 0.4 / 0.85, 0, 0.25 / 0.85, 0.2 / 0.85];
  const statistic = chiSquare(histogram(LOGITS, options, 20_000), expected);
  assert(statistic < 13.82, `chi-square ${statistic} exceeds the 0.1 % point for 2 degrees of freedom`);
});

Deno.test("Sampler at temperature 0 takes the best token, the lowest id of equals, whatever the filters", () => {
  const sampler = new Sampler(resolveSampling({ temperature: 0, topK: 3, minP: 1 }));
  assertEquals(sampler.sample([1, 7, 7, 0]), 1);
  assertEquals(sampler.sample([-1e5, -1e5]), 0);
  assertEquals(sampler.sample([-Infinity, -1e5, 1e5]), 2);
});

Deno.test("Sampler at temperature 0 still applies penalties", () => {
  const sampler = new Sampler(resolveSampling({ temperature: 0, presencePenalty: 1.5 }), [0]);
  assertEquals(sampler.sample([2, 1, 0.9]), 1);
  assertEquals(sampler.sample([2, 1, 0.9]), 2);
  assertEquals(sampler.sample([2, 1, 0.9]), 0);
});

Deno.test("Sampler with one seed repeats itself, with another it does not", () => {
  const logits = Array.from({ length: 50 }, (_, i) => Math.sin(i));
  const text = (seed: number) => {
    const sampler = new Sampler(resolveSampling({ seed }));
    return Array.from({ length: 30 }, () => sampler.sample(logits));
  };
  assertEquals(text(42), text(42));
  assert(JSON.stringify(text(42)) !== JSON.stringify(text(43)));
});

Deno.test("Sampler with top-k 1 is the argmax at any temperature", () => {
  const sampler = new Sampler(resolveSampling({ temperature: 5, topK: 1 }));
  for (let i = 0; i < 20; i++) assertEquals(sampler.sample([0, 0.1, 0.1, 0.05]), 1);
});

Deno.test("Sampler with logits of 1e5 and -1e5 stays finite", () => {
  const sampler = new Sampler(resolveSampling({ seed: 5, minP: 0, topP: 1 }));
  for (let i = 0; i < 20; i++) assertEquals(sampler.sample([-1e5, 1e5, 0]), 1);
});

Deno.test("Sampler refuses NaN", async () => {
  const sampler = new Sampler(resolveSampling());
  await assertFails(() => sampler.sample([0, NaN, 1]), "not finite");
});
