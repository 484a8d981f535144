/** Both ends of a model: the token table and the output head. */
import type { Value } from "../../kernels/operation.ts";
import type { ModelBuilder } from "../model_builder.ts";
import { norm, type NormSpec } from "./norm.ts";

/** Hidden states of the batch's tokens. */
export function embedTokens(m: ModelBuilder, scale = 1): Value {
  const { config, graph, tensors } = m;
  return graph.embed(tensors.matrix("token_embd.weight", config.vocab, config.hidden), { scale });
}

/** Adds the row of `position_embd` that belongs to each token's position. */
export function addLearnedPositions(m: ModelBuilder, hidden: Value): Value {
  const table = m.tensors.matrix("position_embd.weight", learnedPositions(m), m.config.hidden);
  return m.graph.sum(hidden, m.graph.embed(table, { index: { by: "position", offset: 0 } }));
}

/** How many positions a learned table has. */
export function learnedPositions(m: ModelBuilder): number {
  return m.tensors.extent("position_embd.weight", 1);
}

/** How logits are made from the last hidden states. */
export interface HeadSettings {
  /** The final norm; RMS by default. */
  readonly norm?: NormSpec;
  /** Its tensor's name without `.weight`; `output_norm` by default. */
  readonly normName?: string;
  /** Whether the family always has an output matrix of its own; otherwise the token table serves where the file has none. */
  readonly ownOutput?: boolean;
  /** Whether `output.bias` must be there. */
  readonly bias?: boolean;
  /** Factor on the logits. */
  readonly scale?: number;
  /** `cap * tanh(logit / cap)`; 0: off. */
  readonly softcap?: number;
}

/** Logits of the rows that need them (or their normalised hidden states, when those are what the caller is after). */
export function outputHead(m: ModelBuilder, hidden: Value, settings: HeadSettings = {}): Value {
  const { config, graph, tensors } = m;
  if (graph.outputs === 0) return hidden;
  const normed = norm(
    m,
    graph.lastRows(hidden, graph.outputs),
    settings.normName ?? "output_norm",
    settings.norm ?? { kind: "rms" },
  );
  if (m.result === "hidden") return normed;
  const tied = !settings.ownOutput && !tensors.has("output.weight");
  const weight = tensors.matrix(tied ? "token_embd.weight" : "output.weight", config.vocab, config.hidden);
  const bias = tensors.bias("output.bias", config.vocab, settings.bias);
  const logits = graph.matmul(normed, weight, { bias, scale: settings.scale, name: "logits" });
  return settings.softcap ? graph.softcap(logits, settings.softcap) : logits;
}
