import { assertEquals } from "../../support/assert.ts";
import type { GenerationEnd } from "../../../src/inference/session.ts";
import { Conversation, type Responder } from "../../../src/cli/chat/conversation.ts";

const END: GenerationEnd = {
  stopReason: "stop",
  timings: { promptTokens: 0, promptMs: 0, cachedTokens: 0, generatedTokens: 0, generatedMs: 0 },
};
/** One token per message. */
const responder = { contextLength: 8, countTokens: (messages) => messages.length } as Responder;

function longConversation(exchanges: number): Conversation {
  const conversation = new Conversation("system");
  for (let index = 0; index < exchanges; index++) {
    conversation.ask(`question ${index}`);
    conversation.answer(`answer ${index}`, END);
  }
  conversation.ask("last");
  return conversation;
}

Deno.test("makeRoom() drops whole exchanges from the front until the prompt fits, never the system prompt", () => {
  const conversation = longConversation(4);
  assertEquals(conversation.makeRoom(responder), 4);
  assertEquals(conversation.messages.map(({ content }) => content), [
    "system",
    "question 2",
    "answer 2",
    "question 3",
    "answer 3",
    "last",
  ]);
});

Deno.test("makeRoom() leaves what fits alone", () => {
  assertEquals(longConversation(2).makeRoom(responder), 0);
});

Deno.test("makeRoom() never drops the question itself", () => {
  const conversation = new Conversation();
  conversation.ask("far too long");
  assertEquals(conversation.makeRoom({ ...responder, countTokens: () => 1000 }), 0);
  assertEquals(conversation.messages.length, 1);
});
