/**
 * What a session needs from an executor: run a batch over one sequence's state, and generate from there.
 *
 * Two engines implement it: the reference (TypeScript, float32) and Vulkan. A session is written against this
 * interface alone.
 */
import type { Batch } from "../kernels/operation.ts";
import type { SamplingOptions } from "./sampling/mod.ts";

/** How {@linkcode Engine.decode} picks tokens and when it ends by itself. */
export interface DecodeOptions {
  readonly sampling: SamplingOptions;
  /** Tokens before the first sampled one, oldest first, for the repetition penalties. */
  readonly history: readonly number[];
  /** Tokens that end generation; empty when the caller wants to go on past them. */
  readonly endOfGeneration: ReadonlySet<number>;
  /** Most tokens to sample. */
  readonly maxTokens: number;
  readonly signal?: AbortSignal;
}

/** What of a forward pass is wanted, and when to give it up. */
export interface ForwardOptions {
  /** `logits` by default. */
  readonly result?: "logits" | "hidden";
  /** Heard between the parts of a batch that a device works on for long. */
  readonly signal?: AbortSignal;
}

/** Executes the model for one sequence. Positions `[0, n)` hold state after `n` tokens were fed. */
export interface Engine {
  /** Token ids are below this. */
  readonly vocab: number;
  /** Most tokens a sequence can hold. */
  readonly contextLength: number;
  /** Most tokens per call of {@linkcode forward}. */
  readonly ubatch: number;
  /** Whether state can be cut back to any earlier position (true without recurrent layers). */
  readonly canRewind: boolean;
  /** What the sequence's state costs, bytes. */
  readonly stateBytes: number;

  /**
   * Feeds a batch and returns the logits of its last `outputs` rows, `[outputs, vocabulary]`, or their hidden states, `[outputs, hidden]`,
   * for an encoder or when asked for `hidden`. With no outputs nothing is read back and the returned array is empty.
   *
   * @throws the reason of the signal when it is aborted on the way; recurrent state is of no use then.
   */
  forward(batch: Batch, outputs: number, options?: ForwardOptions): Promise<Float32Array>;

  /**
   * Runs the encoder of an encoder-decoder model over a whole source text and forgets the sequence before: what is fed from now on
   * attends to this text. Absent for other models.
   */
  encode?(tokens: Int32Array): Promise<void>;

  /**
   * Feeds `batch`, samples a token from its last row, feeds that, and so on. Yields each sampled token, an
   * end-of-generation token included (it is not fed). Ends after that token, after `maxTokens`, when the context is
   * full, or on abort.
   */
  decode(batch: Batch, options: DecodeOptions): AsyncIterable<number>;

  /** Forgets all state, an encoded text too. */
  clear(): void;

  /** Copies recurrent state, to come back to the present position later. */
  checkpoint(): Promise<Checkpoint>;
  /** Goes back to a checkpoint. */
  restore(checkpoint: Checkpoint): Promise<void>;

  [Symbol.dispose](): void;
}

/** Recurrent state at one position; opaque to everyone but the engine that made it. */
export interface Checkpoint {
  readonly position: number;
  readonly bytes: number;
}
