/**
 * Times one test by the method of llama-bench: a warm-up that does not count, then repetitions that each start from the same state and
 * end when the device is done. Tokens come from a fixed trace; nothing is tokenized or sampled.
 */
import type { Counters, Subject } from "./subject.ts";
import { type BenchTest, timedTokens } from "./test_list.ts";

/** How to measure. */
export interface MeasureOptions {
  readonly repetitions: number;
  /** Run once before the clock starts. */
  readonly warmup: boolean;
  readonly signal?: AbortSignal;
  /** Milliseconds; `performance.now` unless a test brings its own. */
  readonly now?: () => number;
}

/** What one token cost, averaged over all repetitions. */
export interface TokenCost {
  readonly dispatches: number;
  readonly barriers: number;
  readonly submissions: number;
  /** Time that the host's thread was busy, µs. */
  readonly hostUs: number;
}

/** Result of a test. */
export interface Measurement {
  /** Duration of each repetition, whole nanoseconds. */
  readonly samplesNs: readonly number[];
  /** Absent without a device. */
  readonly cost?: TokenCost;
}

/** Runs `test` and times it. What the signal aborts ends with its reason. */
export async function measure(
  subject: Subject,
  test: BenchTest,
  options: MeasureOptions,
): Promise<Measurement> {
  const { repetitions, warmup, signal, now = () => performance.now() } = options;
  subject.clear();
  if (test.depth > 0) await subject.feedPrompt(0, test.depth);
  await subject.mark();
  if (warmup) {
    await runTest(subject, test);
    signal?.throwIfAborted();
  }
  const samplesNs: number[] = [];
  const spent = { submissions: 0, dispatches: 0, barriers: 0, busyMs: 0 };
  for (let repetition = 0; repetition < repetitions; repetition++) {
    await subject.rewind();
    const before = subject.counters?.();
    const start = now();
    await runTest(subject, test);
    const elapsedMs = now() - start;
    samplesNs.push(Math.round(elapsedMs * 1e6));
    if (before) addDifference(spent, before, subject.counters!(), elapsedMs);
    signal?.throwIfAborted();
  }
  if (!subject.counters) return { samplesNs };
  const tokens = repetitions * timedTokens(test);
  return {
    samplesNs,
    cost: {
      dispatches: spent.dispatches / tokens,
      barriers: spent.barriers / tokens,
      submissions: spent.submissions / tokens,
      hostUs: spent.busyMs * 1000 / tokens,
    },
  };
}

async function runTest(subject: Subject, { prompt, generate, depth }: BenchTest): Promise<void> {
  if (prompt > 0) await subject.feedPrompt(depth, prompt);
  if (generate > 0) await subject.generate(depth, generate);
}

function addDifference(
  spent: { submissions: number; dispatches: number; barriers: number; busyMs: number },
  before: Counters,
  after: Counters,
  elapsedMs: number,
): void {
  spent.submissions += after.submissions - before.submissions;
  spent.dispatches += after.dispatches - before.dispatches;
  spent.barriers += after.barriers - before.barriers;
  spent.busyMs += elapsedMs - (after.idleMs - before.idleMs);
}
