/**
 * Encoder-decoder models on the command line: the prompt goes to the encoder, and the decoder begins with a token of its
 * own.
 */
import { checkTokens } from "../inference/check_tokens.ts";
import type { Model } from "../inference/load_model.ts";
import { promptChunks } from "../inference/prompt_chunks.ts";
import { requireFinite } from "../inference/require_finite.ts";
import { Session } from "../inference/session.ts";

/** True for models with an encoder and a decoder. */
export function isEncoderDecoder(model: Model): boolean {
  return model.open.family.kind === "encoder-decoder";
}

/** The token that the decoder begins with. */
export function decoderStart({ open: { family, config } }: Model): number {
  return family.decoderStart!(config);
}

/** A session whose decoder attends to the encoded `source`; generate from {@linkcode decoderStart}. */
export async function sessionFor(model: Model, source: readonly number[]): Promise<Session> {
  const engine = model.createEngine();
  try {
    await engine.encode!(Int32Array.from(source));
    return new Session(engine, model.tokenizer);
  } catch (error) {
    engine[Symbol.dispose]();
    throw error;
  }
}

/** The logits at every one of `decoderTokens`, with `source` in the encoder. */
export async function decoderLogits(
  model: Model,
  source: readonly number[],
  decoderTokens: readonly number[],
): Promise<Float32Array[]> {
  using engine = model.createEngine();
  checkTokens(decoderTokens, engine, { verb: "run", what: "prompt" });
  await engine.encode!(Int32Array.from(source));
  const rows: Float32Array[] = [];
  for (const batch of promptChunks(decoderTokens, 0, engine.ubatch)) {
    const logits = await engine.forward(batch, batch.tokens.length);
    requireFinite(logits, "show logits");
    for (let row = 0; row < batch.tokens.length; row++) {
      rows.push(logits.slice(row * engine.vocab, (row + 1) * engine.vocab));
    }
  }
  return rows;
}
