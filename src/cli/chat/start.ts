/**
 * How a chat runs: on a terminal as a dialogue; with a pipe, a file or nothing as standard input it reads that to the
 * end, answers once and leaves.
 */
import { usageError } from "../../common/errors.ts";
import { answerJson } from "../answer.ts";
import { Interrupted } from "../failure.ts";
import type { Output } from "../output.ts";
import { readStandardInput } from "../standard_input.ts";
import { withInterrupt } from "../interrupt.ts";
import { Conversation, type Responder } from "./conversation.ts";
import { History, historyPath } from "./history.ts";
import { RawTerminal } from "./raw_terminal.ts";
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
  /** Print the one answer to a pipe as a JSON object. */
  readonly json?: boolean;
  /** Loads the model; called only once there is something to answer. */
  openResponder(): Promise<Responder & AsyncDisposable>;
}

/** Runs a chat. Throws {@linkcode Interrupted} when the person stopped it. */
export async function startChat(options: ChatOptions): Promise<void> {
  const screen = [Deno.stderr, Deno.stdout].find((stream) => stream.isTerminal());
  if (Deno.stdin.isTerminal() && screen && options.json) throw usageError("--json is for what is piped in");
  if (Deno.stdin.isTerminal() && screen) await dialogue(options, screen);
  else await answerOnce(options);
}

async function dialogue(options: ChatOptions, screen: typeof Deno.stderr): Promise<void> {
  await using responder = await options.openResponder();
  const parts = { conversation: new Conversation(options.system), responder, out: options.out };
  // Only a dialogue measures how wide a text is, and the package that can takes 40 ms to load.
  const { runRepl } = await import("./repl.ts");
  if (options.prompt) await withInterrupt((signal) => takeTurn(options.prompt!, parts, signal));
  using terminal = new RawTerminal(screen);
  await runRepl(parts, terminal, new History(options.history ? historyPath() : undefined));
}

async function answerOnce(options: ChatOptions): Promise<void> {
  const piped = await readStandardInput();
  const message = [options.prompt, piped].filter((text) => text?.trim()).join("\n\n").trimEnd();
  if (message === "") return;
  await using responder = await options.openResponder();
  const parts = {
    conversation: new Conversation(options.system),
    responder,
    out: options.json ? undefined : options.out,
  };
  const answer = await withInterrupt((signal) => takeTurn(message, parts, signal));
  if (options.json) await options.out.json(answerJson(answer));
  if (answer.end.stopReason === "abort") throw new Interrupted("Stopped with Ctrl+C");
}
