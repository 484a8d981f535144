import { assert, assertEquals } from "../../support/assert.ts";
import { History } from "../../../src/cli/chat/history.ts";
import { type Key, KeyDecoder } from "../../../src/cli/chat/keys.ts";
import { LineEditor, type Submitted } from "../../../src/cli/chat/line_editor.ts";
import type { Terminal } from "../../../src/cli/chat/raw_terminal.ts";

/** A terminal on which `typed` is typed; what is shown is kept. */
class ScriptedTerminal implements Terminal {
  shown = "";
  suspended = 0;
  readonly #keys: Key[];

  constructor(typed: string) {
    this.#keys = new KeyDecoder().push(new TextEncoder().encode(typed));
  }

  write(text: string): void {
    this.shown += text;
  }

  columns(): number {
    return 40;
  }

  nextKey(): Promise<Key | undefined> {
    return Promise.resolve(this.#keys.shift());
  }

  suspend(): void {
    this.suspended++;
  }

  onResize(): void {}
}

async function type(typed: string, history: readonly string[] = []): Promise<Submitted> {
  const past = new History();
  history.forEach((entry) => past.add(entry));
  return await new LineEditor(new ScriptedTerminal(typed), past).read({ first: "> ", next: ". " });
}

const UP = "\x1b[A";
const DOWN = "\x1b[B";

Deno.test("LineEditor edits in the middle of wide text", async () => {
  assertEquals(await type("é🦙日\x1b[D\x7fx\r"), { kind: "text", text: "éx日" });
});

Deno.test("LineEditor walks through the history and back to what was being typed", async () => {
  assertEquals(await type(`dra${UP}${UP}${DOWN}\r`, ["one", "two"]), { kind: "text", text: "two" });
  assertEquals(await type(`dra${UP}${DOWN}ft\r`, ["one"]), { kind: "text", text: "draft" });
});

Deno.test("LineEditor searches the history backwards with Ctrl+R", async () => {
  const history = ["apple pie", "banana", "apple tart"];
  assertEquals(await type("\x12app\r", history), { kind: "text", text: "apple tart" });
  assertEquals(await type("\x12app\x12\r", history), { kind: "text", text: "apple pie" });
});

Deno.test("LineEditor takes a paste of three lines as one text, without its control sequences", async () => {
  assertEquals(await type("\x1b[200~a\rb\x1b[31m\rc\x1b[201~\r"), { kind: "text", text: "a\nb[31m\nc" });
});

Deno.test("LineEditor adds a line with Alt+Enter", async () => {
  assertEquals(await type("a\x1b\rb\r"), { kind: "text", text: "a\nb" });
});

Deno.test("LineEditor tells Ctrl+C on text from Ctrl+C on nothing", async () => {
  assertEquals(await type("abc\x03"), { kind: "interrupt", hadText: true });
  assertEquals(await type("\x03"), { kind: "interrupt", hadText: false });
});

Deno.test("LineEditor ends with Ctrl+D on nothing and at the end of input, but deletes with Ctrl+D on text", async () => {
  assertEquals(await type("\x04"), { kind: "end" });
  assertEquals(await type("ab\x01\x04\r"), { kind: "text", text: "b" });
  assertEquals(await type("unfinished"), { kind: "end" });
});

Deno.test("LineEditor hands Ctrl+Z to the terminal and goes on afterwards", async () => {
  const terminal = new ScriptedTerminal("ab\x1ac\r");
  const typed = await new LineEditor(terminal, new History()).read({ first: "> ", next: ". " });
  assertEquals([typed, terminal.suspended], [{ kind: "text", text: "abc" }, 1]);
});

Deno.test("LineEditor leaves the finished text on the screen", async () => {
  const terminal = new ScriptedTerminal("ab\x1b[D\r");
  await new LineEditor(terminal, new History()).read({ first: "> ", next: ". " });
  assert(terminal.shown.endsWith("> ab\r\x1b[4C\r\n"), JSON.stringify(terminal.shown));
});
