import { assertEquals, assertFails } from "../support/assert.ts";
import { withEnv } from "../support/env.ts";
import { Output, OutputClosed } from "../../src/cli/output.ts";
import { colorsOn, styled } from "../../src/cli/terminal.ts";

/** Takes at most `most` bytes at a time, and none after `limit`. */
function sink(most: number, limit = Infinity) {
  const bytes: number[] = [];
  return {
    text: () => new TextDecoder().decode(Uint8Array.from(bytes)),
    write(chunk: Uint8Array): Promise<number> {
      if (bytes.length >= limit) return Promise.reject(new Deno.errors.BrokenPipe("gone"));
      bytes.push(...chunk.subarray(0, most));
      return Promise.resolve(Math.min(most, chunk.length));
    },
  };
}

Deno.test("Output writes all of a text to a stream that takes little at a time", async () => {
  const target = sink(3);
  const out = new Output(target);
  await out.write("Привет ");
  await out.line("🦙");
  await out.json({ n: 2n ** 60n });
  assertEquals(target.text(), 'Привет 🦙\n{"n":"1152921504606846976"}\n');
});

Deno.test("Output tells a reader who has left from other failures", async () => {
  const error = await assertFails(
    () => new Output(sink(2, 4)).write("too long"),
    "Standard output was closed",
  );
  assertEquals(error instanceof OutputClosed, true);
  const broken = { write: () => Promise.reject(new Error("disk full")) };
  const { name } = await assertFails(
    () => new Output(broken).write("x"),
    "Cannot write to standard output: disk full",
  );
  assertEquals(name, "UserError");
});

Deno.test("Output keeps what a model says from driving a terminal, and changes nothing for a pipe", async () => {
  const [terminal, pipe] = [{ ...sink(9), isTerminal: () => true }, sink(9)];
  for (const target of [terminal, pipe]) await new Output(target).modelText("\x1b]0;pwn\x07ok\n");
  assertEquals([terminal.text(), pipe.text()], ["]0;pwnok\n", "\x1b]0;pwn\x07ok\n"]);
});

Deno.test("styled() colours terminals alone, and none when NO_COLOR is set", () => {
  const terminal = { isTerminal: () => true };
  const file = { isTerminal: () => false };
  withEnv({ NO_COLOR: undefined, TERM: "xterm" }, () => {
    assertEquals(styled("x", "red", terminal), "\x1b[31mx\x1b[0m");
    assertEquals(styled("x", "red", file), "x");
  });
  withEnv({ NO_COLOR: "1", TERM: "xterm" }, () => assertEquals(styled("x", "red", terminal), "x"));
  withEnv({ NO_COLOR: undefined, TERM: "dumb" }, () => assertEquals(colorsOn(terminal), false));
});
