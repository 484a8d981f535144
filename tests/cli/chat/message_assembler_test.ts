import { assertEquals } from "../../support/assert.ts";
import { MessageAssembler } from "../../../src/cli/chat/message_assembler.ts";

function assemble(...lines: string[]): (string | undefined)[] {
  const assembler = new MessageAssembler();
  return lines.map((line) => assembler.push(line));
}

Deno.test("MessageAssembler takes an ordinary line as a message", () => {
  assertEquals(assemble("hello"), ["hello"]);
});

Deno.test("MessageAssembler goes on after a backslash at the end", () => {
  assertEquals(assemble("one\\", "two\\", "three"), [undefined, undefined, "one\ntwo\nthree"]);
});

Deno.test('MessageAssembler keeps everything between """ and """', () => {
  assertEquals(assemble('"""first', "", "/exit", 'last"""'), [
    undefined,
    undefined,
    undefined,
    "first\n\n/exit\nlast",
  ]);
  assertEquals(assemble('"""', "x\\", '"""'), [undefined, undefined, "x\\"]);
  assertEquals(assemble('"""all in one line"""'), ["all in one line"]);
});

Deno.test("MessageAssembler keeps the line feeds of a paste", () => {
  assertEquals(assemble("a\n  b\nc\n"), ["a\n  b\nc"]);
});

Deno.test("MessageAssembler forgets an unfinished message when it is reset", () => {
  const assembler = new MessageAssembler();
  assembler.push('"""half');
  assertEquals(assembler.pending, true);
  assembler.reset();
  assertEquals([assembler.pending, assembler.push("whole")], [false, "whole"]);
});
