/** What a model family is to the rest of zinc: names, a row in the table of families, and a forward pass. */
import type { Value } from "../kernels/operation.ts";
import type { ModelBuilder } from "./model_builder.ts";

/** A family of models that share one forward pass. */
export interface Family {
  /** Values of `general.architecture` that it runs. */
  readonly architectures: readonly string[];
  /** What is particular about it, in one line. */
  readonly summary: string;
  /** Builds the graph; returns logits `[outputs, vocabulary]`, or the last hidden states when no output is wanted. */
  forward(m: ModelBuilder): Value;
}
