/** A loaded model as the one who answers in a chat. */
import { UserError } from "../../common/errors.ts";
import type { GenerateOptions, GenerationEnd, Piece, Session } from "../../inference/session.ts";
import type { Model } from "../../inference/load_model.ts";
import { isEncoderDecoder } from "../encoder_decoder.ts";
import type { PromptMaker } from "../prompt.ts";
import type { Message, Responder } from "./conversation.ts";

/** Answers with one session of a model, so that each turn only feeds what is new. */
export class ModelResponder implements Responder, AsyncDisposable {
  readonly #model: Model;
  readonly #session: Session;
  readonly #prompts: PromptMaker;
  readonly #options: GenerateOptions;

  /** Takes the model over. `options`: how to generate. */
  constructor(model: Model, prompts: PromptMaker, options: GenerateOptions) {
    if (isEncoderDecoder(model)) {
      throw new UserError(
        `Cannot chat with "${model.path}": ${model.open.family.name} answers single texts, use zinc run`,
      );
    }
    this.#model = model;
    this.#prompts = prompts;
    this.#options = options;
    this.#session = model.createSession();
  }

  /** See {@linkcode Responder.contextLength}. */
  get contextLength(): number {
    return this.#session.contextLength;
  }

  /** See {@linkcode Responder.countTokens}. */
  countTokens(messages: readonly Message[]): number {
    return this.#prompts.chat(messages).length;
  }

  /** See {@linkcode Responder.reply}. */
  reply(messages: readonly Message[], signal: AbortSignal): AsyncGenerator<Piece, GenerationEnd> {
    return this.#session.generate(this.#prompts.chat(messages), { ...this.#options, signal });
  }

  /** Frees session and model. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#session[Symbol.dispose]();
    await this.#model[Symbol.asyncDispose]();
  }
}
