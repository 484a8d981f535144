/**
 * The chat on a real (pseudo-)terminal: what keys do, what stays on the screen, and that the terminal is left as it was
 * found. A script plays the model.
 */
import { assert, assertEquals } from "../../support/assert.ts";
import { TempDirectory } from "../../support/temp.ts";
import { HAS_PTY, Pty } from "../support/pty.ts";

const CHAT = `${Deno.execPath()} run -A --quiet tests/cli/support/scripted_chat.ts`;

function ptyTest(name: string, body: (folder: TempDirectory) => Promise<void>): void {
  Deno.test({
    name: HAS_PTY ? name : `${name} (needs util-linux's script)`,
    ignore: !HAS_PTY,
    fn: async () => {
      using folder = new TempDirectory();
      await body(folder);
    },
  });
}

function startChat(folder: TempDirectory, options = "", before = "", after = ""): Pty {
  return new Pty(`${before} ${CHAT} ${options}; ${after || "exit $?"}`, { XDG_STATE_HOME: folder.path });
}

ptyTest("chat answers and leaves with 0 at Ctrl+D", async (folder) => {
  await using pty = startChat(folder);
  await pty.expect(/>>> /);
  await pty.type("hi é🦙\r");
  await pty.expect(/you said: "hi é🦙"\r\n/);
  await pty.expect(/prompt 6 tokens, .* t\/s \| generation \d+ tokens, .* t\/s/);
  await pty.expect(/>>> /);
  await pty.type("\x04");
  assertEquals(await pty.exitCode(), 0);
});

ptyTest("chat deletes a wide character cleanly", async (folder) => {
  await using pty = startChat(folder);
  await pty.expect(/>>> /);
  await pty.type("é🦙\x7f!\r");
  await pty.expect(/you said: "é!"/);
});

ptyTest("chat sends a paste of three lines as one message", async (folder) => {
  await using pty = startChat(folder);
  await pty.expect(/>>> /);
  await pty.type("\x1b[200~one\ntwo\nthree\x1b[201~");
  await pty.expect(/\.\.\. three/);
  await pty.type("\r");
  await pty.expect(/you said: "one\\ntwo\\nthree"/);
});

ptyTest('chat joins lines with a backslash and between """', async (folder) => {
  await using pty = startChat(folder);
  await pty.expect(/>>> /);
  await pty.type("one\\\r");
  await pty.expect(/\.\.\. /);
  await pty.type("two\r");
  await pty.expect(/you said: "one\\ntwo"/);
  await pty.expect(/>>> /);
  await pty.type('"""a\r');
  await pty.expect(/\.\.\. /);
  await pty.type('b"""\r');
  await pty.expect(/you said: "a\\nb"/);
});

ptyTest(
  "Ctrl+C stops a reply, keeps what was said, and leaves with 130 at an empty prompt",
  async (folder) => {
    await using pty = startChat(folder, "--slow");
    await pty.expect(/>>> /);
    await pty.type("go on\r");
    await pty.expect(/zzzzz/);
    await pty.type("\x03");
    await pty.expect(/generation \d+ tokens/);
    await pty.expect(/>>> /);
    await pty.type(`/save ${folder.join("chat.json")}\r`);
    await pty.expect(/Saved 2 messages/);
    const { messages } = JSON.parse(Deno.readTextFileSync(folder.join("chat.json")));
    assert(/^z{5,}$/.test(messages[1].content), messages[1].content);
    await pty.expect(/>>> /);
    await pty.type("typed and regretted\x03");
    await pty.expect(/\^C\s+[^]*>>> /);
    await pty.type("\x03");
    assertEquals(await pty.exitCode(), 130);
  },
);

ptyTest("an unknown command gets a hint, two slashes send one", async (folder) => {
  await using pty = startChat(folder);
  await pty.expect(/>>> /);
  await pty.type("/foo\r");
  await pty.expect(/Unknown command "\/foo": \/help lists the commands/);
  await pty.expect(/>>> /);
  await pty.type("//foo\r");
  await pty.expect(/you said: "\/foo"/);
});

ptyTest(
  "a message that alone fills the context is refused, and nothing is forgotten for it",
  async (folder) => {
    await using pty = startChat(folder);
    await pty.expect(/>>> /);
    await pty.type("first\r");
    await pty.expect(/you said: "first"/);
    await pty.expect(/>>> /);
    await pty.type(`\x1b[200~${"longer".repeat(200)}\x1b[201~\r`);
    await pty.expect(/Message too long: the prompt has 1200 tokens and the context 1000/);
    await pty.expect(/>>> /);
    await pty.type(`/save ${folder.join("chat.json")}\r`);
    await pty.expect(/Saved 2 messages/);
    assert(!pty.screen.includes("forgot"), pty.screen);
  },
);

ptyTest("keys typed during a reply wait for the next prompt", async (folder) => {
  await using pty = startChat(folder, "--slow");
  await pty.expect(/>>> /);
  await pty.type("x\r");
  await pty.expect(/zzz/);
  await pty.type("/exit\r");
  await pty.expect(/zzz/);
  await pty.type("\x03");
  await pty.expect(/>>> \/exit/);
  assertEquals(await pty.exitCode(), 0);
});

ptyTest("chat remembers what was typed, unless told not to", async (folder) => {
  for (const options of ["", "--no-history"]) {
    await using pty = startChat(folder, options);
    await pty.expect(/>>> /);
    await pty.type(`said with "${options}"\r`);
    await pty.expect(/you said/);
    await pty.expect(/>>> /);
    await pty.type("/exit\r");
    await pty.exitCode();
  }
  const path = folder.join("zinc", "history");
  assertEquals(Deno.readTextFileSync(path), '"said with \\"\\""\n"/exit"\n');
  assertEquals(Deno.statSync(path).mode! & 0o777, 0o600);
});

ptyTest("the terminal is as before after a normal end, a Ctrl+C, a signal and a crash", async (folder) => {
  const script = `stty -g > ${folder.join("before")};`;
  const after = `code=$?; stty -g > ${folder.join("after")}; exit $code`;
  const ends: [name: string, act: (pty: Pty) => Promise<void>, code: number][] = [
    ["exit", (pty) => pty.type("/exit\r"), 0],
    ["interrupt", (pty) => pty.type("\x03"), 130],
    ["SIGTERM", () => send(folder, "SIGTERM"), 143],
    ["SIGQUIT", () => send(folder, "SIGQUIT"), 131],
    ["SIGINT of another program", () => send(folder, "SIGINT"), 130],
    ["crash", (pty) => pty.type("break\r"), 1],
  ];
  for (const [name, act, code] of ends) {
    await using pty = new Pty(
      `${script} sh -c 'echo $$ > ${folder.join("pid")}; exec ${CHAT} --crash'; ${after}`,
      { XDG_STATE_HOME: folder.path },
    );
    await pty.expect(/>>> /);
    await act(pty);
    assertEquals(await pty.exitCode(), code, name);
    assertEquals(
      Deno.readTextFileSync(folder.join("after")),
      Deno.readTextFileSync(folder.join("before")),
      name,
    );
    assert(pty.screen.includes("\x1b[?2004l"), `${name}: bracketed paste was left on`);
  }
});

function send(folder: TempDirectory, signal: Deno.Signal): Promise<void> {
  Deno.kill(Number(Deno.readTextFileSync(folder.join("pid"))), signal);
  return Promise.resolve();
}
