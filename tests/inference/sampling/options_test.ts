import {
  resolveSampling,
  SAMPLING_DEFAULTS,
  type SamplingOptions,
} from "../../../src/inference/sampling/mod.ts";
import { UserError } from "../../../src/common/errors.ts";
import { assert, assertEquals, assertFails } from "../../support/assert.ts";

Deno.test("resolveSampling() fills in the defaults that llama.cpp's users know", () => {
  const { seed, ...options } = resolveSampling({ topK: undefined });
  assertEquals(options, SAMPLING_DEFAULTS);
  assertEquals([options.temperature, options.topK, options.topP, options.minP], [0.8, 40, 0.95, 0.05]);
  assert(Number.isInteger(seed) && seed >= 0);
});

Deno.test("resolveSampling() draws another seed each time for none and for -1, and keeps a given one", () => {
  const seeds = [resolveSampling(), resolveSampling(), resolveSampling({ seed: -1 })].map(({ seed }) => seed);
  assertEquals(new Set(seeds).size, 3);
  assertEquals(resolveSampling({ seed: 0 }).seed, 0);
  assertEquals(resolveSampling({ seed: Number.MAX_SAFE_INTEGER }).seed, Number.MAX_SAFE_INTEGER);
});

const WRONG: [Partial<Record<keyof SamplingOptions, unknown>>, string][] = [
  [{ temperature: -0.1 }, "temperature must be a number from 0 to 100, got -0.1"],
  [{ temperature: NaN }, "temperature must be a number from 0 to 100, got NaN"],
  [{ temperature: Infinity }, "temperature must be a number from 0 to 100, got Infinity"],
  [{ temperature: "1" }, "temperature must be a number from 0 to 100, got 1"],
  [{ topK: -1 }, "topK must be a whole number from 0 to 2147483647, got -1"],
  [{ topK: 1.5 }, "topK must be a whole number from 0 to 2147483647, got 1.5"],
  [{ topP: 1.01 }, "topP must be a number from 0 to 1, got 1.01"],
  [{ minP: -0.5 }, "minP must be a number from 0 to 1, got -0.5"],
  [{ repeatPenalty: 0 }, "repeatPenalty must be a number from 0.01 to 100, got 0"],
  [{ repeatLastN: 4097 }, "repeatLastN must be a whole number from 0 to 4096, got 4097"],
  [{ presencePenalty: null }, "presencePenalty must be a number from -100 to 100, got null"],
  [{ frequencyPenalty: 101 }, "frequencyPenalty must be a number from -100 to 100, got 101"],
  [{ seed: -2 }, "seed must be a whole number from -1 to 9007199254740991, got -2"],
  [{ seed: 2 ** 53 }, "seed must be a whole number from -1 to 9007199254740991, got 9007199254740992"],
];

for (const [given, message] of WRONG) {
  Deno.test(`resolveSampling() refuses: ${message}`, async () => {
    const error = await assertFails(() => resolveSampling(given as Partial<SamplingOptions>), message);
    assert(error instanceof UserError && error.exitCode === 2);
  });
}

Deno.test("resolveSampling() names an option as its caller's user knows it", async () => {
  const label = (option: string) => `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  await assertFails(() => resolveSampling({ topK: -1 }, label), "--top-k must be a whole number from 0");
});
