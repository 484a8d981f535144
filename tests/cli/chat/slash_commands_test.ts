import { assert, assertEquals, assertFails } from "../../support/assert.ts";
import { TempDirectory } from "../../support/temp.ts";
import type { GenerationEnd } from "../../../src/inference/session.ts";
import { Conversation, type Responder } from "../../../src/cli/chat/conversation.ts";
import { EXIT_CHAT, isSlashCommand, runSlashCommand } from "../../../src/cli/chat/slash_commands.ts";

const END: GenerationEnd = {
  stopReason: "stop",
  timings: { promptTokens: 10, promptMs: 100, cachedTokens: 0, generatedTokens: 4, generatedMs: 500 },
};
const responder = { contextLength: 100, countTokens: (messages) => 7 * messages.length } as Responder;

function scope(system?: string) {
  const conversation = new Conversation(system);
  conversation.ask("Hi");
  conversation.answer("Hello!", END);
  return { conversation, responder };
}

Deno.test("isSlashCommand() is true for one line with one slash before it", () => {
  assertEquals(["/help", "/no such", "/"].map(isSlashCommand), [true, true, true]);
  assertEquals(["//etc", "a /b", "/usr\n/bin", " /x"].map(isSlashCommand), [false, false, false, false]);
});

Deno.test("/exit, /bye and /quit leave", () => {
  for (const line of ["/exit", "/bye", "/quit "]) assertEquals(runSlashCommand(line, scope()), EXIT_CHAT);
});

Deno.test("/clear forgets the messages and keeps the system prompt", () => {
  const parts = scope("Be brief.");
  runSlashCommand("/clear", parts);
  assertEquals(parts.conversation.messages, [{ role: "system", content: "Be brief." }]);
});

Deno.test("/system sets and shows the system prompt", () => {
  const parts = scope();
  assertEquals(runSlashCommand("/system", parts), "There is no system prompt.");
  assertEquals(runSlashCommand("/system  Talk like a pirate ", parts), "System prompt: Talk like a pirate");
  assertEquals(parts.conversation.messages[0].content, "Talk like a pirate");
});

Deno.test("/save writes messages as JSON or Markdown that only the owner can read", () => {
  using folder = new TempDirectory();
  runSlashCommand(`/save ${folder.join("chat.json")}`, scope());
  const expected = { messages: [{ role: "user", content: "Hi" }, { role: "assistant", content: "Hello!" }] };
  assertEquals(JSON.parse(Deno.readTextFileSync(folder.join("chat.json"))), expected);
  assertEquals(Deno.statSync(folder.join("chat.json")).mode! & 0o777, 0o600);
  runSlashCommand(`/save ${folder.join("chat.md")}`, scope());
  assertEquals(Deno.readTextFileSync(folder.join("chat.md")), "## user\n\nHi\n\n## assistant\n\nHello!\n");
});

Deno.test("/save says what is missing", async () => {
  await assertFails(() => runSlashCommand("/save", scope()), "/save needs a file name");
  await assertFails(
    () => runSlashCommand("/save /no/such/folder/x", scope()),
    'Cannot write "/no/such/folder/x"',
  );
});

Deno.test("/stats adds up the replies", () => {
  const line = runSlashCommand("/stats", scope()) as string;
  assertEquals(
    line,
    "1 reply | prompt 10 tokens, 100.00 t/s | generation 4 tokens, 6.00 t/s | context 14 of 100 tokens",
  );
});

Deno.test("/help lists every command", () => {
  const help = runSlashCommand("/help", scope()) as string;
  for (const name of ["/help", "/clear", "/system", "/save", "/stats", "/exit", "/bye"]) {
    assert(help.includes(name), name);
  }
});

Deno.test("an unknown command gets a hint and is not sent", async () => {
  await assertFails(
    () => runSlashCommand("/sytem x", scope()),
    /^Unknown command "\/sytem": did you mean \/system\? \(two slashes send it to the model\)$/,
  );
  await assertFails(() => runSlashCommand("/foo", scope()), "/help lists the commands");
});
