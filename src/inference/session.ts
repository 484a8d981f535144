/**
 * One conversation's state on an engine: feeds prompts, reuses what is fed already, and streams text.
 *
 * The session is the only place that knows which tokens the engine's state holds. A prompt that starts like the last
 * one continues from their common beginning; recurrent layers cannot be cut back, so for them the session keeps a
 * checkpoint at the end of each prompt and continues from there.
 */
import type { Batch } from "../kernels/operation.ts";
import { assert } from "../common/assert.ts";
import { StreamDecoder } from "../tokenizer/stream_decoder.ts";
import type { Tokenizer } from "../tokenizer/tokenizer.ts";
import { checkTokens } from "./check_tokens.ts";
import type { Checkpoint, Engine } from "./engine.ts";
import { promptChunks } from "./prompt_chunks.ts";
import { requireFinite } from "./require_finite.ts";
import type { SamplingOptions } from "./sampling/mod.ts";
import { StopMatcher } from "./stop.ts";

/** Why a generation ended. */
export type StopReason =
  /** The model said so, or a stop string came. */
  | "stop"
  /** `maxTokens` were made. */
  | "length"
  /** The context is full. */
  | "context"
  /** The caller's signal. */
  | "abort";

/** What a generation cost. */
export interface Timings {
  /** Tokens of the prompt, the reused ones included. */
  readonly promptTokens: number;
  /** Tokens of the prompt that were in the state already. */
  readonly cachedTokens: number;
  /** Time until the first token was sampled, ms. */
  readonly promptMs: number;
  /** Tokens sampled. */
  readonly generatedTokens: number;
  /** Time from the first sampled token to the last, ms. */
  readonly generatedMs: number;
}

/** How a generation ended. */
export interface GenerationEnd {
  readonly stopReason: StopReason;
  readonly timings: Timings;
}

/** A sampled token and the text that it completed (possibly none). */
export interface Piece {
  /** Absent for text that had been held back when the generation ended. */
  readonly token?: number;
  readonly text: string;
}

/** How to generate. */
export interface GenerateOptions {
  readonly sampling: SamplingOptions;
  /** Most tokens to make; by default until the context is full. */
  readonly maxTokens?: number;
  /** Texts that end the generation and are not part of it. */
  readonly stop?: readonly string[];
  /** Go on past end-of-generation tokens. */
  readonly ignoreEos?: boolean;
  readonly signal?: AbortSignal;
}

const PROMPT = { verb: "run", what: "prompt" } as const;

/** Tokens of state that is known to be good. */
interface Saved {
  readonly tokens: readonly number[];
  readonly checkpoint: Checkpoint;
}

/** One sequence of tokens on one engine. */
export class Session implements Disposable {
  readonly #engine: Engine;
  readonly #tokenizer: Tokenizer;
  /** Tokens whose effect is in the engine's state. */
  #fed: number[] = [];
  /** Last checkpoint, for engines that cannot rewind. */
  #saved: Saved | undefined;
  #busy = false;

  constructor(engine: Engine, tokenizer: Tokenizer) {
    this.#engine = engine;
    this.#tokenizer = tokenizer;
  }

  /** Most tokens, prompt and reply together. */
  get contextLength(): number {
    return this.#engine.contextLength;
  }

  /** Forgets everything that was fed. */
  reset(): void {
    assert(!this.#busy, "reset during a generation");
    this.#forget();
  }

  /**
   * Logits of the last token of `tokens`, or of every position, `[positions, vocabulary]`, from an empty state.
   *
   * @throws UserError when the tokens do not fit the context, one is not in the vocabulary, or a logit is not a number.
   */
  async logits(tokens: readonly number[], options: { eachPosition?: boolean } = {}): Promise<Float32Array[]> {
    checkTokens(tokens, this.#engine, PROMPT);
    this.reset();
    const rows: Float32Array[] = [];
    for (const batch of promptChunks(tokens, 0, this.#engine.ubatch)) {
      const last = batch.position + batch.tokens.length === tokens.length;
      const outputs = options.eachPosition ? batch.tokens.length : last ? 1 : 0;
      const logits = await this.#engine.forward(batch, outputs);
      requireFinite(logits, "show logits");
      const width = outputs > 0 ? logits.length / outputs : 0;
      for (let r = 0; r < outputs; r++) rows.push(logits.slice(r * width, (r + 1) * width));
    }
    this.#fed = [...tokens];
    return rows;
  }

  /**
   * Feeds `prompt` (what of it is not fed already) and streams the reply, token by token.
   *
   * @throws UserError when the prompt does not fit the context, a token is not in the vocabulary, or the logits are
   * not finite.
   */
  async *generate(prompt: readonly number[], options: GenerateOptions): AsyncGenerator<Piece, GenerationEnd> {
    checkTokens(prompt, this.#engine, PROMPT);
    assert(!this.#busy, "two generations at once on one session");
    this.#busy = true;
    try {
      return yield* this.#run(prompt, options);
    } finally {
      this.#busy = false;
    }
  }

  [Symbol.dispose](): void {
    this.#engine[Symbol.dispose]();
  }

  async *#run(prompt: readonly number[], options: GenerateOptions): AsyncGenerator<Piece, GenerationEnd> {
    const { signal, ignoreEos = false, maxTokens = Infinity } = options;
    const clock = new GenerationClock(prompt.length);
    if (maxTokens < 1) return clock.end("length");
    const lastBatch = await this.#prefill(prompt, clock, signal);
    if (!lastBatch) return clock.end("abort");

    const endOfGeneration = ignoreEos ? new Set<number>() : this.#tokenizer.endOfGeneration;
    const text = new StreamDecoder(this.#tokenizer);
    const stops = new StopMatcher(options.stop ?? []);
    const generated: number[] = [];
    // The last token that fits is sampled from a full context and never fed.
    const room = this.contextLength - prompt.length + 1;
    const steps = this.#engine.decode(lastBatch, {
      sampling: options.sampling,
      history: prompt,
      endOfGeneration,
      maxTokens: Math.min(maxTokens, room),
      signal,
    });
    let finished = false;
    try {
      for await (const token of steps) {
        clock.sampled();
        generated.push(token);
        const ended = endOfGeneration.has(token);
        const match = stops.push(ended ? text.flush() : text.push(token));
        if (match.stop !== undefined) {
          yield { token, text: match.text };
          return clock.end("stop");
        }
        if (ended) {
          finished = true;
          yield { token, text: match.text + stops.finish() };
          return clock.end("stop");
        }
        yield { token, text: match.text };
      }
      finished = !signal?.aborted;
      const rest = stops.push(text.flush()).text + stops.finish();
      if (rest !== "") yield { text: rest };
      if (signal?.aborted) return clock.end("abort");
      return clock.end(generated.length < maxTokens ? "context" : "length");
    } finally {
      await this.#settle(prompt, generated, finished);
    }
  }

  /** Feeds all of the prompt but its last batch, and returns that; undefined when aborted on the way. */
  async #prefill(
    prompt: readonly number[],
    clock: GenerationClock,
    signal?: AbortSignal,
  ): Promise<Batch | undefined> {
    const reused = await this.#reuse(prompt);
    clock.cachedTokens = reused;
    // Recurrent state is saved one token before the end of the prompt: the latest point every continuation shares.
    const early = this.#engine.canRewind ? prompt.length : prompt.length - 1;
    const batches = [...promptChunks(prompt.slice(reused, early), reused, this.#engine.ubatch)];
    const last = this.#engine.canRewind
      ? batches.pop()!
      : { tokens: Int32Array.of(prompt[prompt.length - 1]), position: prompt.length - 1 };
    for (const batch of batches) {
      if (signal?.aborted) return undefined;
      this.#fed.length = batch.position;
      if (!await this.#feed(batch, signal)) return undefined;
      this.#fed.push(...batch.tokens);
    }
    if (signal?.aborted) return undefined;
    if (!this.#engine.canRewind) {
      this.#saved = { tokens: prompt.slice(0, early), checkpoint: await this.#engine.checkpoint() };
    }
    return last;
  }

  /** Feeds one batch of a prompt; false when aborted before its end. */
  async #feed(batch: Batch, signal: AbortSignal | undefined): Promise<boolean> {
    try {
      await this.#engine.forward(batch, 0, { signal });
      return true;
    } catch (error) {
      if (!signal?.aborted || error !== signal.reason) throw error;
      if (!this.#engine.canRewind) this.#forget();
      return false;
    }
  }

  /** Brings the state to the longest usable beginning of `prompt`; returns its length, less than the prompt's. */
  async #reuse(prompt: readonly number[]): Promise<number> {
    const common = Math.min(commonPrefix(this.#fed, prompt), prompt.length - 1);
    if (this.#engine.canRewind || common === this.#fed.length) {
      this.#fed.length = common;
      return common;
    }
    const saved = this.#saved;
    if (
      saved && saved.tokens.length < prompt.length &&
      commonPrefix(saved.tokens, prompt) === saved.tokens.length
    ) {
      await this.#engine.restore(saved.checkpoint);
      this.#fed = [...saved.tokens];
    } else {
      this.#forget();
    }
    return this.#fed.length;
  }

  #forget(): void {
    this.#engine.clear();
    this.#fed = [];
    this.#saved = undefined;
  }

  /** Records what the state holds after a generation. */
  async #settle(prompt: readonly number[], generated: readonly number[], finished: boolean): Promise<void> {
    if (this.#engine.canRewind || finished) {
      // The last token was sampled but not fed.
      this.#fed = generated.length > 0 ? [...prompt, ...generated.slice(0, -1)] : this.#fed;
      return;
    }
    // Steps that ran ahead have advanced the recurrent state past what the caller saw.
    assert(this.#saved, "a prompt leaves a checkpoint");
    await this.#engine.restore(this.#saved.checkpoint);
    this.#fed = [...this.#saved.tokens];
  }
}

/** Length of the common beginning. */
function commonPrefix(a: readonly number[], b: readonly number[]): number {
  let n = 0;
  while (n < a.length && n < b.length && a[n] === b[n]) n++;
  return n;
}

/** Times the two phases of a generation. */
class GenerationClock {
  readonly #promptTokens: number;
  readonly #start = performance.now();
  #first = 0;
  #last = 0;
  #generated = 0;
  cachedTokens = 0;

  constructor(promptTokens: number) {
    this.#promptTokens = promptTokens;
  }

  sampled(): void {
    this.#last = performance.now();
    if (this.#generated++ === 0) this.#first = this.#last;
  }

  end(stopReason: StopReason): GenerationEnd {
    const promptEnd = this.#generated > 0 ? this.#first : performance.now();
    return {
      stopReason,
      timings: {
        promptTokens: this.#promptTokens,
        cachedTokens: this.cachedTokens,
        promptMs: promptEnd - this.#start,
        generatedTokens: this.#generated,
        generatedMs: this.#last - this.#first,
      },
    };
  }
}
