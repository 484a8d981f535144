import { type GenerateOptions, type GenerationEnd, Session } from "../../src/inference/session.ts";
import { resolveSampling } from "../../src/inference/sampling/mod.ts";
import type { Tokenizer } from "../../src/tokenizer/tokenizer.ts";
import { assertEquals, assertFails } from "../support/assert.ts";
import { ScriptedEngine } from "./scripted_engine.ts";

/** Token id = byte; 0 ends a generation. */
const BYTES = {
  endOfGeneration: new Set([0]),
  isControl: (id: number) => id === 0,
  isUserDefined: () => false,
  tokenBytes: (id: number) => Uint8Array.of(id),
} as unknown as Tokenizer;

const sampling = resolveSampling({ temperature: 0 });
const bytes = (text: string) => [...new TextEncoder().encode(text)];

async function generate(
  session: Session,
  prompt: string,
  options: Partial<GenerateOptions> = {},
): Promise<{ text: string; tokens: number[]; end: GenerationEnd }> {
  const stream = session.generate(bytes(prompt), { sampling, ...options });
  const tokens: number[] = [];
  let text = "";
  for (let next = await stream.next();; next = await stream.next()) {
    if (next.done) return { text, tokens, end: next.value };
    if (next.value.token !== undefined) tokens.push(next.value.token);
    text += next.value.text;
  }
}

Deno.test("generate() ends at an end-of-generation token and never shows its text", async () => {
  const session = new Session(new ScriptedEngine({ replies: [[...bytes("hi"), 0]] }), BYTES);
  const { text, tokens, end } = await generate(session, "abc");
  assertEquals({ text, tokens, reason: end.stopReason }, {
    text: "hi",
    tokens: [104, 105, 0],
    reason: "stop",
  });
});

Deno.test("generate() goes on past end-of-generation tokens when told to", async () => {
  const session = new Session(new ScriptedEngine({ replies: [[104, 0, 105]] }), BYTES);
  const { tokens, end } = await generate(session, "abc", { ignoreEos: true, maxTokens: 3 });
  assertEquals({ tokens, reason: end.stopReason }, { tokens: [104, 0, 105], reason: "length" });
});

Deno.test("generate() makes exactly maxTokens tokens, and none for 0", async () => {
  const session = new Session(new ScriptedEngine({ replies: [bytes("abcdef")] }), BYTES);
  assertEquals((await generate(session, "x", { maxTokens: 2 })).text, "ab");
  const none = await generate(session, "x", { maxTokens: 0 });
  assertEquals([none.text, none.end.stopReason], ["", "length"]);
});

Deno.test("generate() fills the context to the last position and then ends with `context`", async () => {
  const session = new Session(
    new ScriptedEngine({ replies: [bytes("abcdefghijkl")], contextLength: 8 }),
    BYTES,
  );
  const { text, end } = await generate(session, "12345");
  // Five tokens of prompt leave room to feed three; the fourth is sampled and not fed.
  assertEquals([text, end.stopReason], ["abcd", "context"]);
});

Deno.test("generate() cuts at a stop string that spans tokens and does not show its beginning", async () => {
  const session = new Session(new ScriptedEngine({ replies: [bytes("one END two")] }), BYTES);
  const { text, end } = await generate(session, "x", { stop: ["END"] });
  assertEquals([text, end.stopReason], ["one ", "stop"]);
});

Deno.test("generate() shows text that only looked like a stop string when the generation ends", async () => {
  const session = new Session(new ScriptedEngine({ replies: [bytes("one EN")] }), BYTES);
  assertEquals((await generate(session, "x", { stop: ["END"], maxTokens: 6 })).text, "one EN");
});

Deno.test("generate() never splits a character over pieces", async () => {
  const session = new Session(new ScriptedEngine({ replies: [[...bytes("a🦙é"), 0]] }), BYTES);
  const pieces: string[] = [];
  for await (const { text } of session.generate(bytes("x"), { sampling })) pieces.push(text);
  assertEquals(pieces, ["a", "", "", "", "🦙", "", "é", ""]);
});

Deno.test("generate() feeds the prompt in batches of at most ubatch tokens", async () => {
  const engine = new ScriptedEngine({ replies: [[0]], ubatch: 4 });
  await generate(new Session(engine, BYTES), "0123456789");
  assertEquals(engine.batches, [4, 4, 2]);
});

Deno.test("generate() feeds only what is new when a prompt continues the conversation", async () => {
  const engine = new ScriptedEngine({ replies: [[...bytes("ok"), 0]] });
  const session = new Session(engine, BYTES);
  await generate(session, "abcdef");
  const { end } = await generate(session, "abcdefok next");
  assertEquals(end.timings.cachedTokens, 8);
  assertEquals(engine.fed, [...bytes("abcdefok next"), ...bytes("ok")]);
});

Deno.test("generate() on a recurrent engine continues from the state when the prompt does", async () => {
  const engine = new ScriptedEngine({ replies: [[...bytes("ok"), 0]], canRewind: false });
  const session = new Session(engine, BYTES);
  await generate(session, "abcdef");
  const { end } = await generate(session, "abcdefok next");
  assertEquals(end.timings.cachedTokens, 8);
});

Deno.test("generate() on a recurrent engine goes back to the prompt's checkpoint when the reply was rewritten", async () => {
  const engine = new ScriptedEngine({ replies: [[...bytes("ok"), 0]], canRewind: false });
  const session = new Session(engine, BYTES);
  await generate(session, "abcdef");
  const { end } = await generate(session, "abcdefOK next");
  assertEquals(end.timings.cachedTokens, 5);
  assertEquals(engine.fed, [...bytes("abcdefOK next"), ...bytes("ok")]);
});

Deno.test("generate() on a recurrent engine starts anew when the prompt itself differs", async () => {
  const engine = new ScriptedEngine({ replies: [[0]], canRewind: false });
  const session = new Session(engine, BYTES);
  await generate(session, "abcdef");
  assertEquals((await generate(session, "abXdef")).end.timings.cachedTokens, 0);
  assertEquals(engine.fed, bytes("abXdef"));
});

Deno.test("generate() undoes what a recurrent engine ran ahead when a stop string or the caller ended it", async () => {
  const engine = new ScriptedEngine({ replies: [bytes("one END two"), [0]], canRewind: false });
  const session = new Session(engine, BYTES);
  await generate(session, "abc", { stop: ["END"] });
  assertEquals(engine.fed, bytes("ab"));
  await generate(session, "abcdef");
  assertEquals(engine.fed, bytes("abcdef"));
});

Deno.test("generate() ends with `abort` when the signal fires, keeping what was made", async () => {
  const session = new Session(new ScriptedEngine({ replies: [bytes("abcdef")] }), BYTES);
  const controller = new AbortController();
  const stream = session.generate(bytes("x"), { sampling, signal: controller.signal });
  let text = "";
  let next = await stream.next();
  for (; !next.done; next = await stream.next()) {
    text += next.value.text;
    if (text === "abc") controller.abort();
  }
  assertEquals([text, next.value.stopReason], ["abc", "abort"]);
});

Deno.test("generate() refuses an empty prompt, one beyond the context, and ids outside the vocabulary", async () => {
  const session = new Session(new ScriptedEngine({ replies: [[0]], contextLength: 4 }), BYTES);
  const run = (tokens: number[]) => session.generate(tokens, { sampling }).next();
  await assertFails(() => run([]), "Cannot run an empty prompt");
  await assertFails(() => run([1, 2, 3, 4, 5]), "5 tokens do not fit the context of 4");
  await assertFails(() => run([1, 256]), "Cannot run token 256: the vocabulary has ids 0 to 255");
});

Deno.test("logits() returns one row for the last token, or one per position", async () => {
  const session = new Session(new ScriptedEngine({ replies: [[0]] }), BYTES);
  const last = await session.logits([1, 2, 3, 4, 5]);
  assertEquals([last.length, last[0].length, last[0][0]], [1, 256, 4]);
  const each = await session.logits([1, 2, 3, 4, 5], { eachPosition: true });
  assertEquals(each.map((row) => row[0]), [0, 0, 0, 0, 4]);
});

Deno.test("reset() makes the next generation start from nothing", async () => {
  const session = new Session(new ScriptedEngine({ replies: [[0]] }), BYTES);
  await generate(session, "abc");
  session.reset();
  assertEquals((await generate(session, "abc")).end.timings.cachedTokens, 0);
});

/** An engine that is told to stop in the middle of its second batch, when part of the batch is in its state. */
class StoppedEngine extends ScriptedEngine {
  readonly stopper = new AbortController();

  override async forward(...[batch, outputs, options]: Parameters<ScriptedEngine["forward"]>) {
    if (this.batches.length === 1 && !this.stopper.signal.aborted) {
      this.fed.push(batch.tokens[0]);
      this.stopper.abort();
      options!.signal!.throwIfAborted();
    }
    return await super.forward(batch, outputs, options);
  }
}

for (const canRewind of [true, false]) {
  Deno.test(`a prompt that was stopped inside a batch leaves nothing half done behind (${canRewind ? "attention" : "recurrent state"})`, async () => {
    const engine = new StoppedEngine({ replies: [bytes("ok")], ubatch: 2, canRewind });
    const session = new Session(engine, BYTES);
    const stopped = await generate(session, "abcdefg", { signal: engine.stopper.signal });
    assertEquals([stopped.text, stopped.end.stopReason], ["", "abort"]);
    const { text, end } = await generate(session, "abcdefg");
    assertEquals([text, end.timings.cachedTokens], ["ok", canRewind ? 2 : 0]);
    assertEquals(engine.fed.slice(0, 7), bytes("abcdefg"));
  });
}
