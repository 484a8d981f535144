/** The commands of a chat: lines that begin with a slash and are not sent to the model. */
import { UserError } from "../../common/errors.ts";
import { nearest } from "../nearest.ts";
import { statisticsLine } from "../statistics.ts";
import type { Conversation, Message, Responder } from "./conversation.ts";

/** What a command may look at and change. */
export interface CommandScope {
  /** The chat so far. */
  readonly conversation: Conversation;
  /** What answers it. */
  readonly responder: Responder;
}

interface SlashCommand {
  readonly names: readonly string[];
  readonly argument?: string;
  readonly help: string;
  /** Returns the text to show, or "exit". */
  run(scope: CommandScope, argument: string): string | typeof EXIT_CHAT;
}

/** Returned by a command that ends the chat. */
export const EXIT_CHAT = Symbol("exit");

const COMMANDS: readonly SlashCommand[] = [
  { names: ["/help", "/?"], help: "show this list", run: () => helpText() },
  { names: ["/clear"], help: "forget the conversation, keep the system prompt", run: clear },
  { names: ["/system"], argument: "TEXT", help: "set the system prompt; without TEXT show it", run: system },
  {
    names: ["/save"],
    argument: "FILE",
    help: "write the conversation: .json for messages, else Markdown",
    run: save,
  },
  { names: ["/stats"], help: "show what the conversation cost so far", run: stats },
  { names: ["/exit", "/bye", "/quit"], help: "leave (also Ctrl+D)", run: () => EXIT_CHAT },
];

const EDITING = [
  'Several lines: begin and end with """, or end a line with \\, or press Alt+Enter, or paste.',
  "Ctrl+C stops a reply and keeps it; at an empty prompt it leaves. Ctrl+R searches what was typed before.",
  "To send a text that begins with a slash, begin it with two.",
];

/** True for a line that is a command rather than a message: one line, one leading slash. */
export function isSlashCommand(text: string): boolean {
  return /^\/(?!\/)[^\n]*$/.test(text);
}

/** Runs the command in `line`. Throws {@linkcode UserError} for an unknown one. */
export function runSlashCommand(line: string, scope: CommandScope): string | typeof EXIT_CHAT {
  const [, name, argument] = /^(\S+)\s*(.*)$/.exec(line.trim())!;
  const command = COMMANDS.find((candidate) => candidate.names.includes(name));
  if (command) return command.run(scope, argument.trim());
  const near = nearest(name, COMMANDS.flatMap((candidate) => candidate.names));
  const hint = near ? `did you mean ${near}?` : "/help lists the commands";
  throw new UserError(`Unknown command "${name}": ${hint} (two slashes send it to the model)`);
}

function helpText(): string {
  const titles = COMMANDS.map(({ names, argument }) => names.join(", ") + (argument ? ` ${argument}` : ""));
  const width = Math.max(...titles.map((title) => title.length)) + 2;
  const lines = COMMANDS.map((command, index) => titles[index].padEnd(width) + command.help);
  return [...lines, "", ...EDITING].join("\n");
}

function clear({ conversation }: CommandScope): string {
  conversation.clear();
  return "The conversation starts anew.";
}

function system({ conversation }: CommandScope, text: string): string {
  if (text) conversation.setSystem(text);
  return conversation.system ? `System prompt: ${conversation.system}` : "There is no system prompt.";
}

function save({ conversation }: CommandScope, path: string): string {
  if (!path) throw new UserError("Cannot save the conversation: /save needs a file name");
  const { messages } = conversation;
  const text = path.endsWith(".json") ? JSON.stringify({ messages }, null, 2) + "\n" : markdown(messages);
  try {
    Deno.writeTextFileSync(path, text, { mode: 0o600 });
  } catch (cause) {
    throw new UserError(`Cannot write "${path}": ${(cause as Error).message}`, { cause });
  }
  return `Saved ${messages.length} messages to ${path}.`;
}

function stats({ conversation, responder }: CommandScope): string {
  const used = responder.countTokens(conversation.messages);
  const { turns } = conversation.totals;
  return `${turns} ${turns === 1 ? "reply" : "replies"} | ${statisticsLine(conversation.totals)} | ` +
    `context ${used} of ${responder.contextLength} tokens`;
}

function markdown(messages: readonly Message[]): string {
  return messages.map(({ role, content }) => `## ${role}\n\n${content}\n`).join("\n");
}
