/** From what is said to the token ids that a model is fed. */
import { UserError } from "../common/errors.ts";
import type { Model } from "../inference/load_model.ts";
import { ChatTemplate, encodeChat, type Tokenizer } from "../tokenizer/mod.ts";
import type { Message } from "./chat/conversation.ts";
import { notice } from "./output.ts";
import type { PromptFlags } from "./prompt_flags.ts";
import { readTextFile } from "./text_files.ts";

/** Makes prompts for one model. */
export class PromptMaker {
  readonly #tokenizer: Tokenizer;
  readonly #template: ChatTemplate | undefined;
  readonly #variables: Record<string, unknown>;

  private constructor(
    tokenizer: Tokenizer,
    template: ChatTemplate | undefined,
    variables: Record<string, unknown>,
  ) {
    this.#tokenizer = tokenizer;
    this.#template = template;
    this.#variables = variables;
  }

  /** For `model`, with its own template or the one that the flags name; says so when there is none. */
  static async create(model: Model, flags: PromptFlags): Promise<PromptMaker> {
    const template = await findTemplate(model, flags.chatTemplate);
    template?.warnings.forEach(notice);
    return new PromptMaker(
      model.tokenizer,
      template,
      flags.think === false ? { enable_thinking: false } : {},
    );
  }

  /** The conversation, ready for the assistant's reply. Without a template the messages are text to be continued. */
  chat(messages: readonly Message[]): number[] {
    if (!this.#template) return rawTokens(this.#tokenizer, messages.map(({ content }) => content).join("\n"));
    return encodeChat(this.#tokenizer, this.#template, messages, { variables: this.#variables });
  }
}

/** The text as it is: control tokens in it count, and BOS comes once where the model wants one. */
export function rawTokens(tokenizer: Tokenizer, text: string): number[] {
  const tokens = tokenizer.encode(text, { parseSpecial: true });
  const doubled = tokens.length > 1 && tokens[0] === tokenizer.bos && tokens[1] === tokenizer.bos;
  return doubled ? tokens.slice(1) : tokens;
}

async function findTemplate(model: Model, override: string | undefined): Promise<ChatTemplate | undefined> {
  const { metadata } = model.open.file;
  if (override !== undefined) {
    const isFile = await Deno.stat(override).then((info) => info.isFile, () => false);
    return ChatTemplate.fromMetadata(metadata, isFile ? await readTextFile(override) : override);
  }
  if (!ChatTemplate.exists(metadata)) {
    notice(
      "this model has no chat template, so it only continues text: choose one with --chat-template if it is meant to chat",
    );
    return undefined;
  }
  try {
    return ChatTemplate.fromMetadata(metadata);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    notice(
      `${error.message}; without its chat template the model only continues text, --chat-template names another`,
    );
    return undefined;
  }
}
