/** The chat without a terminal: one answer, and standard output carries nothing else. A script plays the model. */
import { assert, assertEquals } from "../../support/assert.ts";

const ARGS = ["run", "-A", "--quiet", "tests/cli/support/scripted_chat.ts"];

async function pipe(input: string, ...options: string[]) {
  const child = new Deno.Command(Deno.execPath(), {
    args: [...ARGS, ...options],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input));
  await writer.close();
  const { code, stdout, stderr } = await child.output();
  const decode = (bytes: Uint8Array) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  return { code, stdout: decode(stdout), stderr: decode(stderr) };
}

Deno.test("chat with a pipe answers once and leaves with 0", async () => {
  const { code, stdout, stderr } = await pipe("hi\n");
  assertEquals([code, stdout], [0, 'you said: "hi"\n']);
  assert(/^prompt 2 tokens, .*\n$/.test(stderr), stderr);
});

Deno.test("chat takes several piped lines as one message", async () => {
  assertEquals((await pipe("one\n/exit\nthree\n")).stdout, 'you said: "one\\n/exit\\nthree"\n');
});

Deno.test("chat with nothing piped leaves with 0 and says nothing", async () => {
  assertEquals(await pipe(""), { code: 0, stdout: "", stderr: "" });
  assertEquals(await pipe("\n \n"), { code: 0, stdout: "", stderr: "" });
});

Deno.test("chat reads UTF-8 and drops a byte order mark once", async () => {
  assertEquals((await pipe("\ufeffПривет 🦙")).stdout, 'you said: "Привет 🦙"\n');
});

Deno.test("chat --json gives one object", async () => {
  const { stdout } = await pipe("hi", "--json");
  assertEquals(stdout.trimEnd().split("\n").length, 1);
  const { text, tokens, stop_reason: reason, timings } = JSON.parse(stdout);
  assertEquals([text, tokens.length, reason, timings.predicted_n], ['you said: "hi"', 14, "stop", 14]);
});

Deno.test("chat ends quietly when its reader leaves", async () => {
  const child = new Deno.Command("sh", {
    args: ["-c", `echo hi | ${Deno.execPath()} ${ARGS.join(" ")} --slow | head -c 3`],
    stdout: "piped",
    stderr: "piped",
  });
  const { stdout, stderr } = await child.output();
  assertEquals([new TextDecoder().decode(stdout), new TextDecoder().decode(stderr)], ["zzz", ""]);
});

Deno.test("Ctrl+C stops a piped chat with 130 and keeps what was said", async () => {
  const child = new Deno.Command(Deno.execPath(), {
    args: [...ARGS, "--slow"],
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode("go"));
  await writer.close();
  const reader = child.stdout.getReader();
  await reader.read();
  child.kill("SIGINT");
  while (!(await reader.read()).done);
  assertEquals((await child.status).code, 130);
});
