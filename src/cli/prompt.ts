/** From what is said to the token ids that a model is fed. */
import { UserError } from "../common/errors.ts";
import type { Model } from "../inference/load_model.ts";
import { ChatTemplate, encodeChat } from "../tokenizer/mod.ts";
import type { Message } from "./chat/conversation.ts";
import { isEncoderDecoder } from "./encoder_decoder.ts";
import { notice } from "./output.ts";
import type { PromptFlags } from "./prompt_flags.ts";
import { readTextFile } from "./text_files.ts";

/** Makes prompts for one model. */
export class PromptMaker {
  readonly #model: Model;
  readonly #template: ChatTemplate | undefined;
  readonly #variables: Record<string, unknown>;

  private constructor(
    model: Model,
    template: ChatTemplate | undefined,
    variables: Record<string, unknown>,
  ) {
    this.#model = model;
    this.#template = template;
    this.#variables = variables;
  }

  /** For `model`, with its own template or the one that the flags name; says so when there is none. */
  static async create(model: Model, flags: PromptFlags): Promise<PromptMaker> {
    const template = await findTemplate(model, flags.chatTemplate);
    template?.warnings.forEach(notice);
    return new PromptMaker(model, template, flags.think === false ? { enable_thinking: false } : {});
  }

  /** The conversation, ready for the assistant's reply. Without a template the messages are text to be continued. */
  chat(messages: readonly Message[]): number[] {
    if (!this.#template) {
      return plainTokens(this.#model, messages.map(({ content }) => content).join("\n"), { control: false });
    }
    return encodeChat(this.#model.tokenizer, this.#template, messages, { variables: this.#variables });
  }
}

/**
 * A text as it is, without a template. A decoder goes on where it ends, so no EOS comes behind it. `control`: whether the text of
 * control tokens becomes these tokens.
 */
export function plainTokens(model: Model, text: string, { control }: { control: boolean }): number[] {
  const addSpecial = isEncoderDecoder(model) ? true : "bos";
  return model.tokenizer.encode(text, { addSpecial, parseSpecial: control });
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
