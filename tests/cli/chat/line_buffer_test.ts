import { assertEquals } from "../../support/assert.ts";
import { LineBuffer } from "../../../src/cli/chat/line_buffer.ts";

function bufferWith(text: string, back = 0): LineBuffer {
  const buffer = new LineBuffer();
  buffer.insert(text);
  buffer.move(-back);
  return buffer;
}

Deno.test("backspace() deletes a whole emoji, flag or accented letter", () => {
  for (const grapheme of ["🦙", "👨‍👩‍👧", "🇩🇪", "e\u0301", "日"]) {
    const buffer = bufferWith("a" + grapheme);
    buffer.backspace();
    assertEquals(buffer.text, "a");
  }
});

Deno.test("insert() joins a combining mark to the letter before it", () => {
  const buffer = bufferWith("e");
  buffer.insert("\u0301");
  assertEquals([buffer.cells.length, buffer.cursor], [1, 1]);
});

Deno.test("insert() in the middle leaves the cursor behind what was inserted", () => {
  const buffer = bufferWith("ad", 1);
  buffer.insert("bc");
  assertEquals([buffer.text, buffer.cursor], ["abcd", 3]);
});

Deno.test("move() stops at both ends", () => {
  const buffer = bufferWith("ab");
  buffer.move(5);
  assertEquals(buffer.cursor, 2);
  buffer.move(-5);
  assertEquals(buffer.cursor, 0);
  buffer.backspace();
  assertEquals(buffer.text, "ab");
});

Deno.test("home() and end() stay in the current line", () => {
  const buffer = bufferWith("one\ntwo\nthree", 7);
  buffer.home();
  assertEquals(buffer.cursor, 4);
  buffer.end();
  assertEquals(buffer.cursor, 7);
});

Deno.test("moveLine() keeps the column where the other line is long enough", () => {
  const buffer = bufferWith("one\nfourteen\nx");
  buffer.moveLine(-1);
  assertEquals(buffer.cursor, 5);
  buffer.end();
  buffer.moveLine(-1);
  assertEquals(buffer.cursor, 3);
  assertEquals(buffer.moveLine(-1), false);
});

Deno.test("deleteWord() cuts the word and what separates it; yank() brings it back", () => {
  const buffer = bufferWith("say naïve_word, ");
  buffer.deleteWord();
  assertEquals(buffer.text, "say ");
  buffer.yank();
  assertEquals(buffer.text, "say naïve_word, ");
});

Deno.test("deleteToStart() and deleteToEnd() cut within the line", () => {
  const buffer = bufferWith("one\ntwo three\nfour", 11);
  buffer.deleteToEnd();
  assertEquals(buffer.text, "one\ntwo\nfour");
  buffer.deleteToStart();
  assertEquals(buffer.text, "one\n\nfour");
});

Deno.test("wordLeft() and wordRight() step over words of any script", () => {
  const buffer = bufferWith("ab — языки 42");
  buffer.wordLeft();
  buffer.wordLeft();
  assertEquals(buffer.cursor, 5);
  buffer.wordRight();
  assertEquals(buffer.cursor, 10);
});
