/** An engine as a benchmark sees it: it feeds prompts and generates along a fixed trace, and says what it did for that. */
import type { LabelTime } from "../../vulkan/mod.ts";
import type { Checkpoint, Engine } from "../engine.ts";
import { promptChunks } from "../prompt_chunks.ts";
import { traceTokens } from "../token_trace.ts";
import { VulkanEngine } from "../vulkan_engine.ts";

/** What an engine and its device did since they were made; differences of two of these belong to what was in between. */
export interface Counters {
  readonly submissions: number;
  readonly dispatches: number;
  readonly barriers: number;
  /** Time that the host's thread was free, ms. */
  readonly idleMs: number;
}

/** What is benchmarked. */
export interface Subject {
  readonly contextLength: number;
  /** Forgets all tokens. */
  clear(): void;
  /** Feeds `count` tokens from `position` on, in batches as long as the engine takes them, up to the logits of the last. */
  feedPrompt(position: number, count: number): Promise<void>;
  /** Feeds `count` tokens from `position` on, one step each. */
  generate(position: number, count: number): Promise<void>;
  /** Makes `position` the present one again after more was fed; a point where {@linkcode Subject.mark} was called. */
  rewind(): Promise<void>;
  /** Notes the present state for {@linkcode Subject.rewind}. */
  mark(): Promise<void>;
  /** Absent where there is no device to ask. */
  counters?(): Counters;
  /** Device time of every dispatch of one step of `tokens` tokens. */
  profile?(position: number, tokens: number): Promise<LabelTime[]>;
}

/** Wraps `engine`, whose sequence the benchmark has for itself. */
export function subjectOf(
  engine: Engine,
  device?: { readonly submitted: number; readonly idleMs: number },
): Subject {
  let checkpoint: Checkpoint | undefined;
  const subject: Subject = {
    contextLength: engine.contextLength,
    clear: () => engine.clear(),
    async feedPrompt(position, count) {
      const tokens = Array.from(traceTokens(engine.vocab, position, count));
      for (const batch of promptChunks(tokens, position, engine.ubatch)) {
        const isLast = batch.position + batch.tokens.length === position + count;
        await engine.forward(batch, isLast ? 1 : 0);
      }
    },
    async generate(position, count) {
      for (let i = 0; i < count; i++) {
        await engine.forward(
          { tokens: traceTokens(engine.vocab, position + i, 1), position: position + i },
          1,
        );
      }
    },
    // A cache of keys and values is simply written over.
    async mark() {
      if (!engine.canRewind) checkpoint = await engine.checkpoint();
    },
    async rewind() {
      if (checkpoint) await engine.restore(checkpoint);
    },
  };
  if (!(engine instanceof VulkanEngine) || !device) return subject;
  return {
    ...subject,
    generate: (position, count) => engine.feedTrace(position, count),
    profile: (position, tokens) => engine.profile(position, tokens),
    counters: () => ({ ...engine.counters, submissions: device.submitted, idleMs: device.idleMs }),
  };
}
