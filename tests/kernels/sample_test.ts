/**
 * The device sampler against the readable one: same logits, options, seed and history must give the same tokens.
 * Filters are tried at high temperatures, where every survivor comes up and a wrong threshold shows.
 */
import { best, candidatesOf } from "../../src/inference/sampling/candidates.ts";
import { resolveSampling, type SamplingOptions } from "../../src/inference/sampling/mod.ts";
import { penalties } from "../../src/inference/sampling/penalties.ts";
import { ringToken, samplerKind } from "../../src/kernels/sample.ts";
import { RING_ERROR, STEP_ERROR } from "../../src/kernels/step_buffer.ts";
import { assert, assertEquals, assertFails } from "../support/assert.ts";
import { openBench } from "./harness.ts";
import {
  assertDrawnLikeReference,
  randomLogits,
  type RigOptions,
  SamplerRig,
  type Start,
} from "./sampler_rig.ts";

const bench = openBench();

/** No filter, no penalty. */
const PLAIN = { topK: 0, topP: 1, minP: 0 };
const PENALTIES = { repeatPenalty: 1.3, presencePenalty: 0.5, frequencyPenalty: 0.2 };

const NO_PENALTIES = { repeatPenalty: 1, presencePenalty: 0, frequencyPenalty: 0 };

const KINDS: [name: string, options: Partial<SamplingOptions>, kind: string][] = [
  ["defaults", {}, "top"],
  ["top-k 1", { topK: 1 }, "top"],
  ["top-k 64 at temperature 3", { temperature: 3, topK: 64, topP: 1, minP: 0 }, "top"],
  ["nothing but temperature", { ...PLAIN, temperature: 1 }, "draw"],
  ["min-p", { ...PLAIN, temperature: 2, minP: 0.02 }, "best+draw"],
  ["top-p", { ...PLAIN, temperature: 3, topP: 0.9 }, "best+mass+draw"],
  ["top-p 0", { ...PLAIN, topP: 0 }, "best+mass+draw"],
  ["top-k 65", { ...PLAIN, temperature: 5, topK: 65 }, "best+count+draw"],
  ["all filters", { temperature: 5, topK: 500, topP: 0.8, minP: 0.001 }, "best+count+mass+draw"],
  ["all filters and penalties", {
    ...{ temperature: 5, topK: 500, topP: 0.8, minP: 0.001 },
    ...PENALTIES,
  }, "penalties+best+count+mass+draw"],
  ["temperature and penalties", { ...PLAIN, ...PENALTIES, temperature: 2 }, "penalties+draw"],
  ["defaults and penalties", { ...PENALTIES, repeatLastN: 3 }, "penalties+top"],
];

const WHOLE_VOCABULARIES = [49152, 151936, 262145].map((count) => randomLogits(count, 5));

const GREEDY: (typeof KINDS)[number] = ["temperature 0", { temperature: 0 }, "greedy"];

/** The tokens of `steps` steps from the same logits, all in one submission. */
async function draw(
  logits: ArrayLike<number>,
  options: SamplingOptions,
  steps: number,
  { start, ...rigOptions }: RigOptions & { start?: Start } = {},
): Promise<number[]> {
  using rig = await SamplerRig.create(bench.device, logits, rigOptions);
  await rig.start(options, start);
  await rig.run(samplerKind(options), steps);
  return await rig.ring(steps);
}

for (const [name, given, kind] of KINDS) {
  const options = resolveSampling({ seed: 12345678901, ...given });
  Deno.test(`samplerKind() of ${name} is ${kind}`, () => assertEquals(samplerKind(options), kind));

  Deno.test(`recordSampler() with ${name} draws what the reference draws`, async () => {
    for (const [vocabulary, steps] of [[1, 2], [2, 16], [3, 16], [63, 64], [1000, 64], [4097, 32]]) {
      const logits = randomLogits(vocabulary, 5);
      for (const strategy of ["teams", "lanes"] as const) {
        assertDrawnLikeReference(await draw(logits, options, steps, { strategy }), logits, options);
      }
    }
  });

  Deno.test(`recordSampler() with ${name} draws from whole vocabularies what the reference draws`, async () => {
    for (const logits of WHOLE_VOCABULARIES) {
      assertDrawnLikeReference(await draw(logits, options, 2), logits, options);
    }
  });
}

Deno.test("recordSampler() with top-k 64 merges more lists than fit a workgroup", async () => {
  const logits = randomLogits(262208, 7);
  const options = resolveSampling({ topK: 64, topP: 1, minP: 0, temperature: 20, seed: 1 });
  for (const strategy of ["teams", "lanes"] as const) {
    assertDrawnLikeReference(await draw(logits, options, 3, { strategy }), logits, options);
  }
});

Deno.test("recordSampler() at temperature 0 finds the best token wherever it is", async () => {
  const options = resolveSampling({ temperature: 0 });
  for (const vocabulary of [1, 2, 63, 2049, 49152, 151937]) {
    const logits = randomLogits(vocabulary, 1);
    for (const strategy of ["teams", "lanes"] as const) {
      using rig = await SamplerRig.create(bench.device, logits, { strategy });
      for (const place of [0, vocabulary >> 1, vocabulary - 1]) {
        await rig.setLogits(logits.map((logit, id) => (id === place ? 100 : logit)));
        await rig.start(options);
        await rig.run("greedy", 1);
        assertEquals(await rig.ring(1), [place]);
      }
    }
  }
});

Deno.test("recordSampler() at temperature 0 takes the lowest id of equal logits, 0 and -0 included", async () => {
  const logits = new Float32Array(5000).fill(-1);
  logits[4000] = logits[3000] = logits[17] = 0;
  logits[16] = -0;
  assertEquals(await draw(logits, resolveSampling({ temperature: 0 }), 1), [16]);
});

for (
  const [name, given, last] of [
    ["top-k 40", { ...PLAIN, topK: 40 }, 39],
    ["top-k 40 and top-p 0.5", { ...PLAIN, topK: 40, topP: 0.5 }, 19],
    ["top-k 100", { ...PLAIN, topK: 100 }, 99],
    ["top-p 0.01", { ...PLAIN, topP: 0.01 }, 49],
    ["top-k 3000 and top-p 0.7", { ...PLAIN, topK: 3000, topP: 0.7 }, 2099],
  ] as [string, Partial<SamplingOptions>, number][]
) {
  Deno.test(`recordSampler() with ${name} of 5000 equal logits keeps ids up to ${last}`, async () => {
    const logits = new Float32Array(5000).fill(2.5);
    const options = resolveSampling({ ...given, temperature: 1, seed: 9 });
    for (const strategy of ["teams", "lanes"] as const) {
      const tokens = await draw(logits, options, 100, { strategy });
      assert(tokens.every((token) => token <= last), `drew ${Math.max(...tokens)}`);
      assertDrawnLikeReference(tokens, logits, options);
    }
  });
}

Deno.test("recordSampler() cuts top-k among ties that are spread over workgroups", async () => {
  // 69 tokens stand out, the other 10,001 are equal; top-k 5,069 ends among those.
  const logits = Float32Array.from({ length: 10_070 }, (_, id) => (id % 144 === 143 ? 4 : 3.9));
  const options = resolveSampling({ ...PLAIN, topK: 5069, temperature: 1, seed: 3 });
  assertDrawnLikeReference(await draw(logits, options, 200), logits, options);
});

for (const [name, given] of KINDS) {
  Deno.test(`recordSampler() with ${name} is right for logits of 1e5, -1e5 and -infinity`, async () => {
    const logits = Float32Array.from(randomLogits(3000, 8), (x, id) => [x, -Infinity, -1e5][id % 3]);
    logits[1500] = 1e5;
    logits[1503] = 1e5 - 1;
    const options = resolveSampling({ seed: 4, ...given });
    assertDrawnLikeReference(await draw(logits, options, 8), logits, options);
  });
}

for (const [name, given] of KINDS) {
  const options = resolveSampling({ seed: 6, ...given });

  Deno.test(`recordSampler() with ${name} finds the only token that is not excluded`, async () => {
    for (const [vocabulary, only] of [[5000, 0], [5000, 4999], [2049, 2048], [4097, 2047]]) {
      const logits = new Float32Array(vocabulary).fill(-Infinity);
      logits[only] = -7;
      for (const strategy of ["teams", "lanes"] as const) {
        assertEquals(await draw(logits, options, 2, { strategy }), [only, only]);
      }
    }
  });

  Deno.test(`recordSampler() with ${name} draws among nearly equal logits what the reference draws`, async () => {
    // Neighbours in float32, in an order that mixes them over all workgroups, and every one of them three times.
    const logits = Float32Array.from({ length: 9001 }, (_, id) => 1 + (id * 4099 % 3001) * 2 ** -23);
    for (const strategy of ["teams", "lanes"] as const) {
      assertDrawnLikeReference(await draw(logits, options, 16, { strategy }), logits, options);
    }
  });

  Deno.test(`recordSampler() with ${name} at a tiny temperature draws the best token`, async () => {
    const cold = { ...options, ...NO_PENALTIES, temperature: 1e-30 };
    for (const vocabulary of [3, 5000, 151937]) {
      const logits = randomLogits(vocabulary, 9);
      const token = best(candidatesOf(logits)).id;
      assertEquals(await draw(logits, cold, 2), [token, token]);
    }
  });
}

for (const topK of [100, 3000, 8999]) {
  Deno.test(`recordSampler() with top-k ${topK} cuts between logits around 0`, async () => {
    const logits = Float32Array.from({ length: 9001 }, (_, id) => Math.sin(id) * 2 ** -(id % 40));
    const options = resolveSampling({ ...PLAIN, topK, topP: 0.6, temperature: 1, seed: 8 });
    for (const strategy of ["teams", "lanes"] as const) {
      assertDrawnLikeReference(await draw(logits, options, 64, { strategy }), logits, options);
    }
  });
}

Deno.test("recordSampler() cuts top-k and top-p in a whole vocabulary of equal logits", async () => {
  const logits = new Float32Array(151937).fill(-3);
  const options = resolveSampling({ ...PLAIN, topK: 100_000, topP: 0.25, temperature: 1, seed: 10 });
  for (const strategy of ["teams", "lanes"] as const) {
    const tokens = await draw(logits, options, 16, { strategy });
    assert(tokens.every((token) => token < 25_000), `drew ${Math.max(...tokens)}`);
    assertDrawnLikeReference(tokens, logits, options);
  }
});

Deno.test("recordSampler() counts tokens that lie hundreds below the best one", async () => {
  const logits = new Float32Array(300).fill(-300);
  logits[299] = 0;
  const options = resolveSampling({ ...PLAIN, topK: 100, temperature: 100, seed: 5 });
  assertDrawnLikeReference(await draw(logits, options, 100), logits, options);
});

for (const given of [{ ...PLAIN, topK: 5 }, PLAIN]) {
  Deno.test(`recordSampler() as ${samplerKind(resolveSampling(given))} draws as often as probabilities say`, async () => {
    const probabilities = [0.1, 0.4, 0.05, 0.25, 0.2];
    const options = resolveSampling({ ...given, temperature: 1, seed: 77 });
    using rig = await SamplerRig.create(bench.device, probabilities.map(Math.log), { ringLength: 4096 });
    await rig.start(options);
    for (let i = 0; i < 16; i++) await rig.run(samplerKind(options), 256);
    const counts = [0, 0, 0, 0, 0];
    for (const token of await rig.ring(4096)) counts[token]++;
    const terms = counts.map((count, i) =>
      (count - 4096 * probabilities[i]) ** 2 / (4096 * probabilities[i])
    );
    const chiSquare = terms.reduce((sum, term) => sum + term);
    assert(chiSquare < 18.47, `chi-square ${chiSquare} exceeds the 0.1 % point for 4 degrees of freedom`);
  });
}

Deno.test("recordSampler() at temperature 0 applies penalties to prompt and sampled tokens", async () => {
  const logits = randomLogits(3000, 2);
  const options = resolveSampling({
    temperature: 0,
    repeatPenalty: 1.5,
    frequencyPenalty: 0.5,
    repeatLastN: 20,
  });
  const history = Array.from({ length: 30 }, (_, i) => (i * 7) % 3000);
  history.push(best(candidatesOf(logits)).id);
  const tokens = await draw(logits, options, 25, { start: { history } });
  tokens.forEach((token, step) => {
    const penalised = penalties(candidatesOf(logits), [...history, ...tokens.slice(0, step)], options);
    assertEquals(token, best(penalised).id);
  });
});

Deno.test("recordSampler() keeps the largest penalty window across the end of its ring", async () => {
  // Tokens 4999 to 0 in the history; of these the newest 4,096 fall by 1, so the lowest id that is forgotten wins.
  // Every draw then remembers its token and forgets the next lower one.
  const history = Array.from({ length: 5000 }, (_, i) => 4999 - i);
  const options = resolveSampling({ temperature: 0, presencePenalty: 1, repeatLastN: 4096 });
  const logits = new Float32Array(6000).fill(-2, 5000);
  assertEquals(await draw(logits, options, 3, { start: { history } }), [4096, 4095, 4094]);
});

Deno.test("recordSampler() advances the step buffer", async () => {
  using rig = await SamplerRig.create(bench.device, [0, 1, 2]);
  await rig.start(resolveSampling({ temperature: 0 }), { position: 100, tokens: [7, 8, 9, 10, 11] });
  const before = await rig.step();
  await rig.run("greedy", 1);
  const step = await rig.step();
  assertEquals(step, { ...before, position: 105, tokenCount: 1, ringIndex: 1, rngStep: 1, tokens: [2] });
  await rig.run("greedy", 3);
  assertEquals(await rig.step(), { ...step, position: 108, ringIndex: 4, rngStep: 4 });
});

Deno.test("recordSampler() writes the ring round and round", async () => {
  const logits = randomLogits(100, 3);
  const options = resolveSampling({ seed: 6, temperature: 2 });
  const tokens = await draw(logits, options, 11);
  using rig = await SamplerRig.create(bench.device, logits, { ringLength: 4 });
  await rig.start(options);
  await rig.run(samplerKind(options), 11);
  assertEquals(await rig.ring(4), [tokens[8], tokens[9], tokens[10], tokens[7]]);
});

/** Bits of float32 numbers that no model may compute. */
const NON_FINITE: [name: string, bits: number][] = [
  ["NaN", 0x7fc00000],
  ["NaN with a sign", 0xffc00000],
  ["the smallest signalling NaN", 0x7f800001],
  ["infinity", 0x7f800000],
];

for (const [name, given] of [GREEDY, ...KINDS]) {
  const options = resolveSampling({ seed: 1, ...given });

  Deno.test(`recordSampler() with ${name} changes nothing after an end-of-generation token`, async () => {
    using rig = await SamplerRig.create(bench.device, [0, 1, 30, 1]);
    await rig.start(options, { position: 10, endOfGeneration: [1000, 2] });
    const before = await rig.step();
    await rig.run(samplerKind(options), 1);
    const stopped = await rig.step();
    assertEquals(stopped, { ...before, position: 11, ringIndex: 1, stopped: 1, rngStep: 1, tokens: [2] });
    await rig.run(samplerKind(options), 5);
    assertEquals(await rig.step(), stopped);
    assertEquals(await rig.ring(3), [2, 0, 0]);
  });

  Deno.test(`recordSampler() with ${name} stops at logits that are not finite`, async () => {
    for (const [bad, bits] of NON_FINITE) {
      const logits = randomLogits(5000, 4);
      new Uint32Array(logits.buffer)[4321] = bits;
      using rig = await SamplerRig.create(bench.device, logits);
      await rig.start(options, { position: 3 });
      const before = await rig.step();
      await rig.run(samplerKind(options), 3);
      const error = STEP_ERROR.nonFiniteLogits;
      assertEquals(await rig.step(), { ...before, ringIndex: 1, stopped: 1, error }, bad);
      assertEquals(await rig.ring(2), [RING_ERROR + error, 0]);
    }
  });
}

Deno.test("recordSampler() stops where every token is excluded", async () => {
  for (const options of [resolveSampling({ temperature: 0 }), resolveSampling(), resolveSampling(PLAIN)]) {
    using rig = await SamplerRig.create(bench.device, new Float32Array(300).fill(-Infinity));
    await rig.start(options);
    await rig.run(samplerKind(options), 2);
    const { error, stopped } = await rig.step();
    assertEquals([error, stopped], [STEP_ERROR.noCandidate, 1]);
    assertEquals(await rig.ring(2), [RING_ERROR + STEP_ERROR.noCandidate, 0]);
  }
});

Deno.test("recordSampler() is ready for the next generation after an error and a stop", async () => {
  const logits = randomLogits(3000, 6);
  const options = resolveSampling({ ...PLAIN, ...PENALTIES, topP: 0.9, topK: 900, temperature: 2, seed: 2 });
  const kind = samplerKind(options);
  using rig = await SamplerRig.create(bench.device, [NaN, ...logits.subarray(1)]);
  await rig.start(options);
  await rig.run(kind, 2);
  await rig.setLogits(logits);
  await rig.start(options, { endOfGeneration: Array.from({ length: 64 }, (_, i) => i * 40) });
  await rig.run(kind, 200);
  assertEquals((await rig.step()).stopped, 1);
  await rig.start(options);
  await rig.run(kind, 20);
  assertDrawnLikeReference(await rig.ring(20), logits, options);
});

Deno.test("ringToken() passes token ids on and turns error bits into a message", async () => {
  assertEquals(ringToken(151935), 151935);
  await assertFails(
    () => ringToken(RING_ERROR + STEP_ERROR.nonFiniteLogits, "llvmpipe"),
    "Cannot choose a token: the model computed logits that are not finite on llvmpipe",
  );
  await assertFails(
    () => ringToken(RING_ERROR + STEP_ERROR.noCandidate),
    "every token of the vocabulary is excluded",
  );
});
