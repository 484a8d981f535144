/** What a model family is to the rest of zinc: names, a row in the table of families, and its forward pass. */
import type { Value } from "../kernels/operation.ts";
import type { Config } from "./config.ts";
import type { ModelBuilder } from "./model_builder.ts";

/**
 * `decoder`: causal, ends in logits. `encoder`: every token sees every other, so a text is one batch; ends in hidden states, which
 * are pooled to one vector. `encoder-decoder`: {@linkcode Family.encode} runs over one text first, then the decoder attends to it.
 */
export type FamilyKind = "decoder" | "encoder" | "encoder-decoder";

/** One row of the table of families: how it differs from the others, in the field's words. */
export interface Traits {
  readonly norm: string;
  readonly positions: string;
  readonly attention: string;
  readonly feedForward: string;
  readonly block: string;
  readonly biases: string;
  /** Where the output matrix comes from. */
  readonly output: string;
  /** What a sequence keeps from one batch to the next. */
  readonly state: string;
}

/** A family of models that share one forward pass. */
export interface Family {
  /** What people call it, e.g. `Qwen 3`. */
  readonly name: string;
  /** Values of `general.architecture` that it runs. */
  readonly architectures: readonly string[];
  readonly kind: FamilyKind;
  /** What is particular about it, in one line. */
  readonly summary: string;
  readonly traits: Traits;
  /**
   * Builds the graph of one batch. A decoder returns logits `[outputs, vocabulary]`, or hidden states when no output is wanted; an
   * encoder returns hidden states `[outputs, hidden]`.
   */
  forward(m: ModelBuilder): Value;
  /**
   * Builds the encoder's graph over a whole source text: it returns its hidden states `[tokens, hidden]` and leaves in the state
   * slots what the decoder's cross attention reads. Only encoder-decoder families have it.
   */
  encode?(m: ModelBuilder): Value;
  /** The token that the decoder of an encoder-decoder family begins with. */
  decoderStart?(config: Config): number;
  /** Positions beyond which the family cannot go whatever context is asked for: rows of a learned position table. */
  positionLimit?(m: ModelBuilder): number | undefined;
}
