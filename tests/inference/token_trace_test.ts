/** Generation along a fixed trace feeds exactly the trace, and counts what it hands to the device. */
import { traceTokens } from "../../src/inference/token_trace.ts";
import { openModel } from "../../src/models/open_model.ts";
import { assert, assertEquals, maxAbsDifference } from "../support/assert.ts";
import { goldenModel } from "../support/golden.ts";
import { openVulkanEngine, sharedDevice } from "../support/vulkan_executor.ts";

Deno.test("traceTokens() are ids of the vocabulary, spread over it and the same every time", () => {
  const tokens = traceTokens(320, 0, 4096);
  assert(tokens.every((token) => token >= 0 && token < 320));
  assertEquals(new Set(tokens).size, 320);
  assertEquals(traceTokens(320, 100, 8), tokens.slice(100, 108));
});

Deno.test("feedTrace() leaves the state that feeding the same tokens by hand leaves", async () => {
  using model = openModel(goldenModel("llama_q8_0"), 64);
  using engine = await openVulkanEngine(model, 16);
  const start = { tokens: Int32Array.of(5, 6, 7), position: 0 };
  const next = { tokens: Int32Array.of(9), position: 23 };
  await engine.forward(start, 0);
  for (let i = 3; i < 23; i++) {
    await engine.forward({ tokens: traceTokens(engine.vocab, i, 1), position: i }, 0);
  }
  const expected = await engine.forward(next, 1);
  engine.clear();
  await engine.forward(start, 0);
  await engine.feedTrace(3, 20);
  assertEquals(maxAbsDifference(await engine.forward(next, 1), expected), 0);
});

Deno.test("feedTrace() crosses from one context bucket to the next", async () => {
  using model = openModel(goldenModel("llama_q8_0"), 512);
  using engine = await openVulkanEngine(model, 512);
  await engine.forward({ tokens: traceTokens(engine.vocab, 0, 250), position: 0 }, 0);
  await engine.feedTrace(250, 12);
  const crossed = await engine.forward({ tokens: Int32Array.of(9), position: 262 }, 1);
  engine.clear();
  await engine.forward({ tokens: traceTokens(engine.vocab, 0, 262), position: 0 }, 0);
  const whole = await engine.forward({ tokens: Int32Array.of(9), position: 262 }, 1);
  assert(maxAbsDifference(crossed, whole) < 1e-3);
});

Deno.test("counters grow by a step's dispatches for every token, in fewer submissions than tokens", async () => {
  using model = openModel(goldenModel("llama_q8_0"), 128);
  using engine = await openVulkanEngine(model, 16);
  const { device } = sharedDevice();
  await engine.feedTrace(0, 1);
  const one = engine.counters;
  const submitted = device.submitted;
  await engine.feedTrace(1, 64);
  const many = engine.counters;
  assertEquals(many.steps - one.steps, 64);
  assertEquals(many.dispatches - one.dispatches, 64 * one.dispatches);
  assertEquals(many.barriers - one.barriers, 64 * one.barriers);
  assert(device.submitted - submitted <= 64);
});

Deno.test("profile() names every dispatch of a step, and a time for each", async () => {
  using model = openModel(goldenModel("llama_q8_0"), 64);
  using engine = await openVulkanEngine(model, 16);
  await engine.feedTrace(0, 1);
  const { dispatches } = engine.counters;
  const times = await engine.profile(1, 1);
  assertEquals(times.length, dispatches);
  assert(times.some(({ label }) => label === "blk.1.ffn_down.weight"));
  assert(times.every(({ ns }) => ns >= 0));
});
