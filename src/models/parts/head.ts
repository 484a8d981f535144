/** Both ends of a decoder: the token table and the output head. */
import type { Value } from "../../kernels/operation.ts";
import type { ModelBuilder } from "../model_builder.ts";

/** Hidden states of the batch's tokens. */
export function embedTokens(m: ModelBuilder, scale = 1): Value {
  const { config, graph, tensors } = m;
  return graph.embed(tensors.matrix("token_embd.weight", config.vocab, config.hidden), { scale });
}

/** Logits of the rows that need them; the output matrix is the token table where the file has no other. */
export function outputHead(m: ModelBuilder, hidden: Value): Value {
  const { config, graph, tensors } = m;
  if (graph.outputs === 0) return hidden;
  const last = graph.lastRows(hidden, graph.outputs);
  const normed = graph.norm(last, {
    weight: tensors.vector("output_norm.weight", config.hidden),
    epsilon: config.normEpsilon,
  });
  const name = tensors.has("output.weight") ? "output.weight" : "token_embd.weight";
  return graph.matmul(normed, tensors.matrix(name, config.vocab, config.hidden), { name: "logits" });
}
