/** From a text's tokens to its embedding, on whichever engine runs the model. */
import type { OpenModel } from "../models/open_model.ts";
import { checkTokens } from "./check_tokens.ts";
import type { Engine } from "./engine.ts";
import { normalised, pool, type Pooling, poolingOf, throughDenseLayers } from "./pooling.ts";
import { promptChunks } from "./prompt_chunks.ts";
import { requireFinite } from "./require_finite.ts";

/** How to embed. */
export interface EmbedOptions {
  /** By default what the model's file asks for. */
  readonly pooling?: Pooling;
  /** Scale the vector to length 1. Default true. */
  readonly normalize?: boolean;
}

/**
 * The embedding of `tokens`, `[width]`; the engine's earlier state is forgotten.
 *
 * @throws UserError when there are no tokens or more than the context holds, or the model makes no embeddings.
 */
export async function embed(
  model: OpenModel,
  engine: Engine,
  tokens: readonly number[],
  options: EmbedOptions = {},
): Promise<Float32Array> {
  checkTokens(tokens, engine, { verb: "embed", what: "text" });
  engine.clear();
  const states = await hiddenStates(model, engine, tokens);
  requireFinite(states, "embed the text");
  const pooled = pool(states, states.length / tokens.length, options.pooling ?? poolingOf(model));
  const vector = throughDenseLayers(model, pooled);
  return options.normalize === false ? vector : normalised(vector);
}

/** Hidden states of all tokens, `[tokens, hidden]`. An encoder sees its text at once, a decoder in chunks. */
async function hiddenStates(
  model: OpenModel,
  engine: Engine,
  tokens: readonly number[],
): Promise<Float32Array> {
  const chunk = model.family.kind === "encoder" ? tokens.length : engine.ubatch;
  const parts: Float32Array[] = [];
  for (const batch of promptChunks(tokens, 0, chunk)) {
    parts.push(await engine.forward(batch, batch.tokens.length, { result: "hidden" }));
  }
  if (parts.length === 1) return parts[0];
  const states = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    states.set(part, offset);
    offset += part.length;
  }
  return states;
}
