/** One question and its answer, streamed to standard output. */
import { UserError } from "../../common/errors.ts";
import { type Answer, collectAnswer } from "../answer.ts";
import { notice, type Output, writeError } from "../output.ts";
import { statisticsLine } from "../statistics.ts";
import { styled } from "../terminal.ts";
import type { GenerationEnd } from "../../inference/session.ts";
import { Conversation, type Responder } from "./conversation.ts";

/** The message alone fills the context; the chat can go on with a shorter one. */
export class MessageTooLong extends UserError {}

/** What a turn works on. */
export interface TurnScope {
  /** The chat so far. */
  readonly conversation: Conversation;
  /** What answers it. */
  readonly responder: Responder;
  /** Where the reply goes as it comes; without it the reply is only returned. */
  readonly out?: Output;
}

/** Asks `question` and streams the reply. What was said before an abort is kept in the conversation. */
export async function takeTurn(question: string, scope: TurnScope, signal: AbortSignal): Promise<Answer> {
  const { conversation, responder, out } = scope;
  refuseTooLong(question, conversation, responder);
  conversation.ask(question);
  const dropped = conversation.makeRoom(responder);
  if (dropped > 0) {
    notice(`the context of ${responder.contextLength} tokens is full: forgot the ${dropped} oldest messages`);
  }
  try {
    const answer = await collectAnswer(responder.reply(conversation.messages, signal), out);
    conversation.answer(answer.text, answer.end);
    reportEnd(answer.end, responder);
    return answer;
  } catch (error) {
    conversation.retract();
    throw error;
  }
}

/** Before anything is forgotten to make room for it. */
function refuseTooLong(question: string, { system }: Conversation, responder: Responder): void {
  const alone = new Conversation(system);
  alone.ask(question);
  const tokens = responder.countTokens(alone.messages);
  if (tokens < responder.contextLength) return;
  throw new MessageTooLong(
    `Message too long: the prompt has ${tokens} tokens and the context ${responder.contextLength}; ` +
      "shorten it or start with a larger -c",
  );
}

function reportEnd(end: GenerationEnd, responder: Responder): void {
  if (end.stopReason === "context") {
    notice(`the reply was cut: the context of ${responder.contextLength} tokens is full`);
  }
  writeError(styled(statisticsLine(end.timings), "dim") + "\n");
}
