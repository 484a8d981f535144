/** The interactive chat: read a message or a command, answer, repeat. */
import { UserError } from "../../common/errors.ts";
import { Interrupted } from "../failure.ts";
import { type Output, writeError } from "../output.ts";
import { styled } from "../terminal.ts";
import type { Conversation, Responder } from "./conversation.ts";
import type { History } from "./history.ts";
import { LineEditor } from "./line_editor.ts";
import { MessageAssembler } from "./message_assembler.ts";
import type { RawTerminal } from "./raw_terminal.ts";
import { EXIT_CHAT, isSlashCommand, runSlashCommand } from "./slash_commands.ts";
import { MessageTooLong, takeTurn } from "./turn.ts";

const PROMPTS = { first: ">>> ", next: "... " };
const PENDING_PROMPTS = { first: "... ", next: "... " };

/** Everything that a chat is made of. */
export interface ChatParts {
  /** The chat so far. */
  readonly conversation: Conversation;
  /** What answers it. */
  readonly responder: Responder;
  /** Where replies go. */
  readonly out: Output;
}

/** Chats on `terminal` until the person leaves; with Ctrl+C that is {@linkcode Interrupted}. */
export async function runRepl(parts: ChatParts, terminal: RawTerminal, history: History): Promise<void> {
  const editor = new LineEditor(terminal, history);
  const assembler = new MessageAssembler();
  while (true) {
    const typed = await editor.read(assembler.pending ? PENDING_PROMPTS : PROMPTS);
    if (typed.kind === "end") return;
    if (typed.kind === "interrupt") {
      if (!typed.hadText && !assembler.pending) throw new Interrupted("Left with Ctrl+C");
      assembler.reset();
      continue;
    }
    if (!assembler.pending && isSlashCommand(typed.text)) {
      history.add(typed.text);
      if (!runCommand(typed.text, parts)) return;
      continue;
    }
    const message = assembler.push(typed.text);
    if (!message) continue;
    history.add(message);
    await answer(message.replace(/^\/\//, "/"), parts, terminal);
  }
}

/** False when the command ends the chat. */
function runCommand(line: string, parts: ChatParts): boolean {
  try {
    const result = runSlashCommand(line, parts);
    if (result === EXIT_CHAT) return false;
    writeError(result + "\n");
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    showProblem(error);
  }
  return true;
}

async function answer(message: string, parts: ChatParts, terminal: RawTerminal): Promise<void> {
  const stopper = new AbortController();
  using _ = terminal.onInterrupt(() => stopper.abort());
  try {
    await takeTurn(message, parts, stopper.signal);
  } catch (error) {
    if (!(error instanceof MessageTooLong)) throw error;
    showProblem(error);
  }
}

function showProblem(error: UserError): void {
  writeError(styled(error.message, "yellow") + "\n");
}
