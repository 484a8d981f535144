/** From what is said to the token ids that a model is fed. */
import type { Tokenizer } from "../tokenizer/tokenizer.ts";
import type { Message } from "./chat/conversation.ts";

/** Makes prompts for one model. */
export class PromptMaker {
  readonly #tokenizer: Tokenizer;

  /** For the model of that tokenizer. */
  constructor(tokenizer: Tokenizer) {
    this.#tokenizer = tokenizer;
  }

  /** The conversation, ready for the assistant's reply. */
  chat(messages: readonly Message[]): number[] {
    return this.raw(messages.map(({ content }) => content).join("\n"));
  }

  /** The text as it is: control tokens in it count, and BOS comes once where the model wants one. */
  raw(text: string): number[] {
    const tokens = this.#tokenizer.encode(text, { parseSpecial: true });
    const doubled = tokens.length > 1 && tokens[0] === this.#tokenizer.bos &&
      tokens[1] === this.#tokenizer.bos;
    return doubled ? tokens.slice(1) : tokens;
  }
}
