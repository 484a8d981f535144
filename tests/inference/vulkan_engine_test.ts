/** What holds for any model on the Vulkan executor, shown with golden models: one of plain attention, the others with recurrent state. */
import type { DecodeOptions } from "../../src/inference/engine.ts";
import { resolveSampling } from "../../src/inference/sampling/mod.ts";
import { Session } from "../../src/inference/session.ts";
import { VulkanEngine } from "../../src/inference/vulkan_engine.ts";
import { openModel } from "../../src/models/open_model.ts";
import { createTokenizer } from "../../src/tokenizer/create_tokenizer.ts";
import { assert, assertAllNear, assertEquals, assertFails } from "../support/assert.ts";
import { withEnv } from "../support/env.ts";
import { CONTEXT, FLOAT32_CACHE, goldenCase, goldenModel, logitsOf, REFERENCE } from "../support/golden.ts";
import { openVulkanEngine, sharedDevice, uploadWeights } from "../support/vulkan_executor.ts";

const ATTENTION = "llama2";
const RECURRENT = ["qwen35", "mamba2", "rwkv7", "lfm2", "jamba"];
/** Batches of another size sum in another order; float16 makes steps of keys and values out of the last bits of that. */
const REORDERED = 5e-3;

const TOKENS = [11, 57, 203, 4, 90, 118, 33, 7, 64, 150];

const greedy = (maxTokens: number, endOfGeneration: number[] = []): DecodeOptions => ({
  sampling: resolveSampling({ temperature: 0 }),
  history: [],
  endOfGeneration: new Set(endOfGeneration),
  maxTokens,
});

const batch = (tokens: readonly number[], position = 0) => ({ tokens: Int32Array.from(tokens), position });

async function collect(engine: VulkanEngine, tokens: readonly number[], options: DecodeOptions) {
  return await Array.fromAsync(engine.decode(batch(tokens), options));
}

for (const name of [ATTENTION, ...RECURRENT]) {
  Deno.test(`a later token never changes an earlier logit (${name})`, async () => {
    using model = openModel(goldenModel(name), CONTEXT);
    using engine = await openVulkanEngine(model, CONTEXT);
    const rows = await logitsOf(engine, TOKENS);
    const others = await logitsOf(engine, [...TOKENS.slice(0, -1), 99]);
    assertEquals(rows.slice(0, -1), others.slice(0, -1));
  });

  Deno.test(`the same token says something else at another position (${name})`, async () => {
    using model = openModel(goldenModel(name), CONTEXT);
    using engine = await openVulkanEngine(model, CONTEXT);
    const [first, , third] = await logitsOf(engine, [57, 203, 57]);
    assert(first.some((logit, i) => Math.abs(logit - third[i]) > 0.1));
  });

  Deno.test(`one token at a time over the state gives what the whole prompt gives (${name})`, async () => {
    using model = openModel(goldenModel(name), CONTEXT);
    using whole = await openVulkanEngine(model, CONTEXT);
    using stepwise = await openVulkanEngine(model, 1);
    const expected = await logitsOf(whole, TOKENS);
    for (const [i, row] of (await logitsOf(stepwise, TOKENS)).entries()) {
      assertAllNear(row, expected[i], REORDERED, `position ${i}:`);
    }
  });

  Deno.test(`sequences of one model do not disturb each other (${name})`, async () => {
    using model = openModel(goldenModel(name), CONTEXT);
    using resources = await uploadWeights(model);
    using a = new VulkanEngine(model, resources, CONTEXT);
    using b = new VulkanEngine(model, resources, CONTEXT);
    const other = TOKENS.toReversed();
    const alone = [await a.forward(batch(TOKENS), 1), await a.forward(batch([5], TOKENS.length), 1)];
    a.clear();
    const together = [await a.forward(batch(TOKENS), 1)];
    await b.forward(batch(other), 1);
    together.push(await a.forward(batch([5], TOKENS.length), 1));
    assertEquals(together, alone);
  });

  Deno.test(`generation picks what the logits say and leaves the state behind its tokens (${name})`, async () => {
    using model = openModel(goldenModel(name), CONTEXT);
    using engine = await openVulkanEngine(model, CONTEXT);
    const tokens = await collect(engine, TOKENS, greedy(20));
    // All were fed but the last.
    const next = await engine.forward(batch(tokens.slice(-1), TOKENS.length + 19), 1);
    const rows = await logitsOf(engine, [...TOKENS, ...tokens]);
    assertAllNear(next, rows.at(-1)!, REORDERED);
    for (const [i, token] of tokens.entries()) {
      const row = rows[TOKENS.length - 1 + i];
      assert(Math.max(...row) - row[token] < 2 * REORDERED, `token ${i}`);
    }
  });
}

/** So little that nearly every node of a golden model is a piece. */
const SMALL_PIECE = 1000;

for (const name of [ATTENTION, ...RECURRENT]) {
  Deno.test(`a prompt that is submitted in pieces gives the same logits, and generation stays whole (${name})`, async () => {
    using model = openModel(goldenModel(name), CONTEXT);
    using whole = await openVulkanEngine(model, CONTEXT);
    using pieces = await openVulkanEngine(model, CONTEXT, { pieceWork: SMALL_PIECE });
    const { device } = sharedDevice();
    const expected = await whole.forward(batch(TOKENS), 2);
    const before = device.submitted;
    assertEquals(await pieces.forward(batch(TOKENS), 2), expected);
    assert(device.submitted - before > 1, `${device.submitted - before} submissions`);
    assertEquals(await collect(pieces, [5], greedy(8)), await collect(whole, [5], greedy(8)));
  });
}

for (const name of [ATTENTION, RECURRENT[0]]) {
  Deno.test(`a batch whose attention is too much for one dispatch is fed in parts, with the same result (${name})`, async () => {
    using model = openModel(goldenModel(name), CONTEXT);
    using whole = await openVulkanEngine(model, CONTEXT);
    using parts = await openVulkanEngine(model, CONTEXT, { attentionWork: 1 });
    const { device } = sharedDevice();
    const prompt = [...TOKENS, ...TOKENS.toReversed()];
    for (const outputs of [0, 1, 4, 15]) {
      const expected = await whole.forward(batch(prompt), outputs);
      const before = device.submitted;
      assertAllNear(await parts.forward(batch(prompt), outputs), expected, REORDERED);
      assertEquals(device.submitted - before, outputs > 12 ? 1 : outputs > 4 ? 2 : 3);
      whole.clear();
      parts.clear();
    }
    await whole.forward(batch(prompt), 0);
    await parts.forward(batch(prompt), 0);
    const expected = await whole.forward(batch([5], prompt.length), 1);
    assertAllNear(await parts.forward(batch([5], prompt.length), 1), expected, REORDERED);
    whole.clear();
    parts.clear();
    assertEquals(await collect(parts, prompt, greedy(6)), await collect(whole, prompt, greedy(6)));
  });
}

Deno.test("forward() and decode() end between two pieces when their signal is aborted, with nothing in flight", async () => {
  using model = openModel(goldenModel(ATTENTION), CONTEXT);
  using engine = await openVulkanEngine(model, CONTEXT, { pieceWork: SMALL_PIECE });
  const { device } = sharedDevice();
  const expected = await engine.forward(batch(TOKENS), 1);
  const before = device.submitted;
  const stopper = new AbortController();
  setTimeout(() => stopper.abort(new Error("stopped")), 0);
  const { signal } = stopper;
  await assertFails(
    () => engine.forward(batch(TOKENS), 1, { signal: AbortSignal.abort(new Error("stopped")) }),
    "stopped",
  );
  assertEquals(device.submitted, before);
  const stream = engine.decode(batch(TOKENS), { ...greedy(50), signal: AbortSignal.abort() });
  assertEquals(await Array.fromAsync(stream), []);
  const tokens = await Array.fromAsync(engine.decode(batch(TOKENS), { ...greedy(50), signal }));
  assert(tokens.length < 50);
  assertEquals(device.completed(), device.submitted);
  assertEquals(await engine.forward(batch(TOKENS), 1), expected);
});

for (const name of RECURRENT) {
  Deno.test(`a checkpoint brings back the state of its position (${name})`, async () => {
    using model = openModel(goldenModel(name), CONTEXT);
    using engine = await openVulkanEngine(model, CONTEXT);
    await engine.forward(batch(TOKENS), 0);
    const checkpoint = await engine.checkpoint();
    const expected = await engine.forward(batch([5], TOKENS.length), 1);
    await engine.forward(batch([9, 8, 7], TOKENS.length + 1), 0);
    await engine.restore(checkpoint);
    assertEquals(await engine.forward(batch([5], TOKENS.length), 1), expected);
  });

  Deno.test(`steps submitted past the end of a generation leave recurrent state alone (${name})`, async () => {
    using model = openModel(goldenModel(name), CONTEXT);
    using engine = await openVulkanEngine(model, CONTEXT);
    const tokens = await collect(engine, TOKENS, greedy(24));
    engine.clear();
    // The first token that has not come before ends the generation this time.
    const end = tokens.findLastIndex((token, i) => tokens.indexOf(token) === i);
    assertEquals(
      await collect(engine, TOKENS, greedy(CONTEXT - TOKENS.length, [tokens[end]])),
      tokens.slice(0, end + 1),
    );
    const next = await engine.forward(batch([5], TOKENS.length + end), 1);
    const rows = await logitsOf(engine, [...TOKENS, ...tokens.slice(0, end), 5]);
    assertAllNear(next, rows.at(-1)!, REORDERED);
  });
}

for (const name of [ATTENTION, RECURRENT[0]]) {
  Deno.test(`a prompt that begins like the last one is not fed again, and the reply is the same (${name})`, async () => {
    using model = openModel(goldenModel(name), CONTEXT);
    const tokenizer = createTokenizer(model.file.metadata);
    using session = new Session(await openVulkanEngine(model, CONTEXT), tokenizer);
    const reply = async (prompt: readonly number[]) => {
      const stream = session.generate(prompt, {
        sampling: greedy(1).sampling,
        maxTokens: 6,
        ignoreEos: true,
      });
      const tokens: number[] = [];
      for (let piece = await stream.next();; piece = await stream.next()) {
        if (piece.done) return { tokens, cached: piece.value.timings.cachedTokens };
        if (piece.value.token !== undefined) tokens.push(piece.value.token);
      }
    };
    const first = await reply(TOKENS);
    const longer = [...TOKENS, ...first.tokens, 45, 46];
    const continued = await reply(longer);
    session.reset();
    const afresh = await reply(longer);
    assertEquals([first.cached, afresh.cached, continued.cached], [
      0,
      0,
      TOKENS.length + first.tokens.length - 1,
    ]);
    assertEquals(continued.tokens, afresh.tokens);
  });
}

Deno.test("forgetting leaves nothing behind", async () => {
  for (const name of [ATTENTION, ...RECURRENT]) {
    using model = openModel(goldenModel(name), CONTEXT);
    using engine = await openVulkanEngine(model, CONTEXT);
    const fresh = await engine.forward(batch(TOKENS), 1);
    await engine.forward(batch([1, 2, 3], TOKENS.length), 0);
    engine.clear();
    assertEquals(await engine.forward(batch(TOKENS), 1), fresh, name);
  }
});

Deno.test("attention goes on when a sequence outgrows the positions that its first plan was made for", async () => {
  using model = openModel(goldenModel(ATTENTION), CONTEXT);
  using engine = await openVulkanEngine(model, 64, { cacheTypes: FLOAT32_CACHE });
  using reference = await REFERENCE.open(model, 64);
  const prompt = Array.from({ length: 250 }, (_, i) => (i * 31 + 7) % 256);
  await logitsOf(engine, prompt.slice(0, -1));
  const stream = engine.decode(batch(prompt.slice(-1), prompt.length - 1), greedy(20));
  const tokens = await Array.fromAsync(stream);
  const expected = (await logitsOf(reference, [...prompt, ...tokens])).at(-1)!;
  assertAllNear(await engine.forward(batch(tokens.slice(-1), prompt.length + 19), 1), expected, 1e-3);
});

Deno.test("hidden states and logits of the same tokens can be asked for in turn", async () => {
  using model = openModel(goldenModel(ATTENTION), CONTEXT);
  using engine = await openVulkanEngine(model, CONTEXT);
  const logits = await engine.forward(batch(TOKENS), 1);
  const hidden = await engine.forward(batch(TOKENS), 1, { result: "hidden" });
  assertEquals([logits.length, hidden.length], [model.config.vocab, model.config.hidden]);
  assertEquals(await engine.forward(batch(TOKENS), 1), logits);
});

Deno.test("a decoder attends to the text encoded last, whatever was encoded before", async () => {
  using model = openModel(goldenModel("t5"), CONTEXT);
  using engine = await openVulkanEngine(model, 4);
  const [short, , long] = goldenCase<{ prompts: { tokens: number[] }[] }>("t5").prompts;
  await engine.encode!(Int32Array.from(short.tokens));
  const expected = await engine.forward(batch([0, 3, 4]), 3);
  await engine.encode!(Int32Array.from(long.tokens));
  const other = await engine.forward(batch([0, 3, 4]), 3);
  assert(other.some((logit, i) => Math.abs(logit - expected[i]) > 0.1));
  await engine.encode!(Int32Array.from(short.tokens));
  assertEquals(await engine.forward(batch([0, 3, 4]), 3), expected);
});

Deno.test("encode() refuses a text that is empty, too long or not of the vocabulary", async () => {
  using model = openModel(goldenModel("t5"), 8);
  for (const open of [openVulkanEngine, REFERENCE.open]) {
    using engine = await open(model, 4);
    const encode = (...tokens: number[]) => engine.encode!(Int32Array.from(tokens));
    await assertFails(() => encode(), "Cannot encode an empty text: it has no tokens");
    await assertFails(
      () => encode(...new Array(9).fill(1)),
      "Cannot encode the text: 9 tokens do not fit the context of 8; shorten it or raise the context with -c as far as the model allows",
    );
    await assertFails(
      () => encode(model.config.vocab),
      `Cannot encode token ${model.config.vocab}: the vocabulary has ids 0 to ${model.config.vocab - 1}`,
    );
  }
});

Deno.test("a prompt or a reply that needs kernels compiled first can be stopped meanwhile", async () => {
  await withEnv({ ZINC_FAULT_SLOW_COMPILE_MS: "100" }, async () => {
    using model = openModel(goldenModel(ATTENTION), CONTEXT);
    // Another workgroup makes kernels of its own, none of them compiled yet.
    using engine = await openVulkanEngine(model, CONTEXT, { kernels: { workgroup: 16 } });
    const { device } = sharedDevice();
    const stopIn = (ms: number) => {
      const stopper = new AbortController();
      setTimeout(() => stopper.abort(new Error("stopped")), ms);
      return stopper.signal;
    };
    await assertFails(() => engine.forward(batch(TOKENS), 1, { signal: stopIn(20) }), "stopped");
    const tokens = await Array.fromAsync(
      engine.decode(batch(TOKENS), { ...greedy(50), signal: stopIn(20) }),
    );
    assert(tokens.length < 50);
    assertEquals(device.completed(), device.submitted);
  });
});
