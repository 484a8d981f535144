/** An engine whose tokens come from a script, and which notes what it was fed. */
import type { Checkpoint, DecodeOptions, Engine, ForwardOptions } from "../../src/inference/engine.ts";
import type { Batch } from "../../src/kernels/operation.ts";

/** Options of {@linkcode ScriptedEngine}. */
export interface Script {
  /** Tokens that each generation samples, one list per generation; the last list repeats. */
  readonly replies: readonly (readonly number[])[];
  readonly canRewind?: boolean;
  readonly contextLength?: number;
  readonly ubatch?: number;
}

/** Plays a script. `fed` is the sequence whose effect the state holds, as a recurrent state would. */
export class ScriptedEngine implements Engine {
  readonly vocab = 256;
  readonly contextLength: number;
  readonly ubatch: number;
  readonly canRewind: boolean;
  readonly stateBytes = 0;
  /** Everything that was fed since the last `clear`. */
  fed: number[] = [];
  /** Sizes of the batches that were fed, decode's first batch included. */
  readonly batches: number[] = [];
  readonly #replies: (readonly number[])[];

  constructor(script: Script) {
    this.#replies = [...script.replies];
    this.canRewind = script.canRewind ?? true;
    this.contextLength = script.contextLength ?? 64;
    this.ubatch = script.ubatch ?? 4;
  }

  forward(batch: Batch, outputs: number, _options?: ForwardOptions): Promise<Float32Array> {
    this.#feed(batch);
    return Promise.resolve(new Float32Array(outputs * this.vocab).fill(batch.position));
  }

  async *decode(batch: Batch, options: DecodeOptions): AsyncIterable<number> {
    this.#feed(batch);
    const reply = this.#replies.length > 1 ? this.#replies.shift()! : this.#replies[0];
    for (const token of reply.slice(0, options.maxTokens)) {
      await Promise.resolve();
      if (options.signal?.aborted) return;
      yield token;
      if (options.endOfGeneration.has(token)) return;
      this.fed.push(token); // as a device that runs ahead does
    }
    this.fed.pop(); // the last token of a full run is not fed
  }

  clear(): void {
    this.fed = [];
  }

  checkpoint(): Promise<Checkpoint> {
    return Promise.resolve({ position: this.fed.length, bytes: 0, tokens: [...this.fed] } as Checkpoint);
  }

  restore(checkpoint: Checkpoint): Promise<void> {
    this.fed = [...(checkpoint as Checkpoint & { tokens: number[] }).tokens];
    return Promise.resolve();
  }

  [Symbol.dispose](): void {}

  #feed(batch: Batch): void {
    if (!this.canRewind && batch.position !== this.fed.length) {
      throw new Error(`state holds ${this.fed.length} tokens, batch starts at ${batch.position}`);
    }
    this.fed.length = batch.position;
    this.fed.push(...batch.tokens);
    this.batches.push(batch.tokens.length);
  }
}
