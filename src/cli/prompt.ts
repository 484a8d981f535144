/** From what a person says to the token ids that a model is fed. */
import type { Model } from "../inference/load_model.ts";

/** How a prompt is made. */
export interface PromptOptions {
  /** Take the text as it is. */
  readonly raw?: boolean;
  /** System prompt. */
  readonly system?: string;
  /** File with a Jinja template that replaces the model's own. */
  readonly chatTemplate?: string;
}

/** Token ids of one prompt. */
export function promptTokens(model: Model, text: string, _options: PromptOptions): number[] {
  return rawTokens(model, text);
}

/** Token ids of a text with special tokens parsed, and BOS once where the model wants one. */
function rawTokens({ tokenizer }: Model, text: string): number[] {
  const tokens = tokenizer.encode(text, { parseSpecial: true });
  const doubled = tokens.length > 1 && tokens[0] === tokenizer.bos && tokens[1] === tokenizer.bos;
  return doubled ? tokens.slice(1) : tokens;
}
