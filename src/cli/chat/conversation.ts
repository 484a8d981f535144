/**
 * A conversation and what answers it. The REPL knows nothing else of the engine, so tests let a script answer.
 */
import type { GenerationEnd, Piece, Timings } from "../../inference/session.ts";

/** One message, in the shape that chat templates and the OpenAI API share. */
export type Message = {
  /** Who speaks. */
  readonly role: "system" | "user" | "assistant";
  /** What is said. */
  readonly content: string;
};

/** Answers conversations: a model with its chat template, or a script. */
export interface Responder {
  /** Tokens that one conversation can hold, reply included. */
  readonly contextLength: number;
  /** Tokens of the prompt that `messages` become. */
  countTokens(messages: readonly Message[]): number;
  /** Streams the reply to `messages`; aborting ends it early, with what was made so far. */
  reply(messages: readonly Message[], signal: AbortSignal): AsyncGenerator<Piece, GenerationEnd>;
}

/** Tokens kept free for a reply when old messages have to make room. */
export const REPLY_RESERVE_TOKENS = 64;

/** The messages of one chat, and the totals of its replies. */
export class Conversation {
  #system: string | undefined;
  #messages: Message[] = [];
  readonly #totals = {
    turns: 0,
    promptTokens: 0,
    promptMs: 0,
    cachedTokens: 0,
    generatedTokens: 0,
    generatedMs: 0,
  };

  /** Starts empty, with an optional system prompt. */
  constructor(system?: string) {
    this.#system = system;
  }

  /** The system prompt, if any. */
  get system(): string | undefined {
    return this.#system;
  }

  /** Sets or (with an empty text) removes the system prompt. */
  setSystem(text: string): void {
    this.#system = text || undefined;
  }

  /** All messages, the system prompt first. */
  get messages(): readonly Message[] {
    const system: Message[] = this.#system ? [{ role: "system", content: this.#system }] : [];
    return [...system, ...this.#messages];
  }

  /** Sums over all replies so far. */
  get totals(): Readonly<Timings & { turns: number }> {
    return this.#totals;
  }

  /** Appends what the person said. */
  ask(content: string): void {
    this.#messages.push({ role: "user", content });
  }

  /** Appends a reply. */
  answer(content: string, end: GenerationEnd): void {
    this.#messages.push({ role: "assistant", content });
    this.#totals.turns++;
    for (const key of Object.keys(end.timings) as (keyof Timings)[]) this.#totals[key] += end.timings[key];
  }

  /** Takes the last question back, when it could not be answered. */
  retract(): void {
    if (this.#messages.at(-1)?.role === "user") this.#messages.pop();
  }

  /** Forgets all messages; the system prompt stays. */
  clear(): void {
    this.#messages = [];
  }

  /** Drops the oldest exchanges until prompt and reply fit the context. Returns how many messages went. */
  makeRoom(responder: Responder): number {
    const room = responder.contextLength - Math.min(REPLY_RESERVE_TOKENS, responder.contextLength / 4);
    let dropped = 0;
    while (this.#messages.length > 1 && responder.countTokens(this.messages) > room) {
      const next = this.#messages.findIndex((message, index) => index > 0 && message.role === "user");
      dropped += this.#messages.splice(0, next < 0 ? this.#messages.length - 1 : next).length;
    }
    return dropped;
  }
}
