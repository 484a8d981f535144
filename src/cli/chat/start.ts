/**
 * How a chat runs: on a terminal as a dialogue; with a pipe, a file or nothing as standard input it reads that to the
 * end, answers once and leaves.
 */
import { EXIT } from "../../common/errors.ts";
import type { Output } from "../output.ts";
import { readStandardInput } from "../standard_input.ts";
import { withInterrupt } from "../interrupt.ts";
import { Conversation, type Responder } from "./conversation.ts";
import { History, historyPath } from "./history.ts";
import { RawTerminal } from "./raw_terminal.ts";
import { runRepl } from "./repl.ts";
import { takeTurn } from "./turn.ts";

/** Options of {@linkcode startChat}. */
export interface ChatOptions {
  /** System prompt. */
  readonly system?: string;
  /** Said first; put before what is piped in. */
  readonly prompt?: string;
  /** Whether typed texts are kept in the history file. */
  readonly history: boolean;
  /** Where replies go. */
  readonly out: Output;
  /** Loads the model; called only once there is something to answer. */
  openResponder(): Promise<Responder & AsyncDisposable>;
}

/** Runs a chat and returns the exit code. */
export async function startChat(options: ChatOptions): Promise<number> {
  const screen = [Deno.stderr, Deno.stdout].find((stream) => stream.isTerminal());
  return Deno.stdin.isTerminal() && screen ? await dialogue(options, screen) : await answerOnce(options);
}

async function dialogue(options: ChatOptions, screen: typeof Deno.stderr): Promise<number> {
  await using responder = await options.openResponder();
  const parts = { conversation: new Conversation(options.system), responder, out: options.out };
  if (options.prompt) await withInterrupt((signal) => takeTurn(options.prompt!, parts, signal));
  using terminal = new RawTerminal(screen);
  return await runRepl(parts, terminal, new History(options.history ? historyPath() : undefined));
}

async function answerOnce(options: ChatOptions): Promise<number> {
  const piped = await readStandardInput();
  const message = [options.prompt, piped].filter((text) => text?.trim()).join("\n\n").trimEnd();
  if (message === "") return EXIT.ok;
  await using responder = await options.openResponder();
  const parts = { conversation: new Conversation(options.system), responder, out: options.out };
  const end = await withInterrupt((signal) => takeTurn(message, parts, signal));
  return end.stopReason === "abort" ? EXIT.interrupted : EXIT.ok;
}
