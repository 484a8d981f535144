/** The benchmark's method, on a subject whose work takes scripted times. */
import { measure } from "../../../src/inference/bench/measure.ts";
import { type Counters, type Subject, subjectOf } from "../../../src/inference/bench/subject.ts";
import type { Engine } from "../../../src/inference/engine.ts";
import { assertEquals, assertNear } from "../../support/assert.ts";

/** Feeding a token takes 1 ms, generating one 10 ms, 8 of which the host's thread is free; the first test takes twice as long. */
class ScriptedSubject implements Subject {
  readonly contextLength = 1000;
  readonly log: string[] = [];
  nowMs = 0;
  #idleMs = 0;
  #submissions = 0;
  #cold = true;

  clear(): void {
    this.log.push("clear");
  }

  feedPrompt(position: number, count: number): Promise<void> {
    this.log.push(`feed ${count} at ${position}`);
    this.nowMs += count;
    this.#submissions++;
    return Promise.resolve();
  }

  generate(position: number, count: number): Promise<void> {
    this.log.push(`generate ${count} at ${position}`);
    this.nowMs += count * (this.#cold ? 20 : 10);
    this.#cold = false;
    this.#idleMs += count * 8;
    this.#submissions += count / 4;
    return Promise.resolve();
  }

  mark(): Promise<void> {
    this.log.push("mark");
    return Promise.resolve();
  }

  rewind(): Promise<void> {
    this.log.push("rewind");
    this.nowMs += 500;
    return Promise.resolve();
  }

  counters(): Counters {
    const submissions = this.#submissions;
    return { submissions, dispatches: submissions * 40, barriers: submissions * 20, idleMs: this.#idleMs };
  }
}

const GENERATE_8_AT_100 = { prompt: 0, generate: 8, depth: 100 };

Deno.test("measure() times neither the warm-up, nor what fills the context, nor the way back", async () => {
  const subject = new ScriptedSubject();
  const { samplesNs } = await measure(subject, GENERATE_8_AT_100, {
    repetitions: 2,
    warmup: true,
    now: () => subject.nowMs,
  });
  assertEquals(samplesNs, [80e6, 80e6]);
  assertEquals(subject.log, [
    "clear",
    "feed 100 at 0",
    "mark",
    "generate 8 at 100",
    "rewind",
    "generate 8 at 100",
    "rewind",
    "generate 8 at 100",
  ]);
});

Deno.test("measure() without warm-up lets the first sample pay for it", async () => {
  const subject = new ScriptedSubject();
  const options = { repetitions: 2, warmup: false, now: () => subject.nowMs };
  assertEquals((await measure(subject, GENERATE_8_AT_100, options)).samplesNs, [160e6, 80e6]);
});

Deno.test("measure() spreads what the repetitions cost over their tokens", async () => {
  const subject = new ScriptedSubject();
  const options = { repetitions: 3, warmup: true, now: () => subject.nowMs };
  const { cost } = await measure(subject, GENERATE_8_AT_100, options);
  assertEquals({ ...cost, hostUs: 0 }, { submissions: 0.25, dispatches: 10, barriers: 5, hostUs: 0 });
  assertNear(cost!.hostUs, 2000, 1e-6, "10 ms per token, 8 of them idle");
});

Deno.test("measure() ends between repetitions when the signal says so", async () => {
  const stopper = new AbortController();
  const subject = new ScriptedSubject();
  subject.rewind = () => Promise.resolve(stopper.abort(new Error("enough")));
  const options = { repetitions: 5, warmup: true, now: () => subject.nowMs, signal: stopper.signal };
  const outcome = await measure(subject, GENERATE_8_AT_100, options).catch((error) => error.message);
  assertEquals(outcome, "enough");
  assertEquals(subject.log.filter((entry) => entry.startsWith("generate")).length, 2);
});

Deno.test("subjectOf() cuts a prompt into the engine's batches and asks for the logits of its last token alone", async () => {
  const calls: string[] = [];
  const engine = {
    vocab: 100,
    contextLength: 64,
    ubatch: 4,
    canRewind: true,
    forward(batch: { tokens: Int32Array; position: number }, outputs: number) {
      calls.push(`${batch.tokens.length} at ${batch.position}, ${outputs} outputs`);
      return Promise.resolve(new Float32Array());
    },
  } as unknown as Engine;
  await subjectOf(engine).feedPrompt(3, 10);
  assertEquals(calls, ["4 at 3, 0 outputs", "4 at 7, 0 outputs", "2 at 11, 1 outputs"]);
});

Deno.test("subjectOf() goes back to a checkpoint where state cannot be cut", async () => {
  const calls: string[] = [];
  const engine = {
    vocab: 100,
    contextLength: 64,
    ubatch: 4,
    canRewind: false,
    checkpoint: () => Promise.resolve({ position: 7, bytes: 1 }),
    restore: ({ position }: { position: number }) => Promise.resolve(void calls.push(`restore ${position}`)),
  } as unknown as Engine;
  const subject = subjectOf(engine);
  await subject.mark();
  await subject.rewind();
  await subject.rewind();
  assertEquals(calls, ["restore 7", "restore 7"]);
});
