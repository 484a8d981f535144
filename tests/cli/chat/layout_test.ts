import { assertEquals } from "../../support/assert.ts";
import { layOut, redraw } from "../../../src/cli/chat/layout.ts";
import { graphemes } from "../../../src/cli/chat/line_buffer.ts";

const PROMPTS = { first: "> ", next: ". " };
const layout = (text: string, cursor: number, columns = 10) =>
  layOut(PROMPTS, graphemes(text), cursor, columns);

Deno.test("layOut() counts two columns for CJK and emoji", () => {
  const { cursorColumn, rows } = layout("日🦙a", 3);
  assertEquals([cursorColumn, rows], [2 + 2 + 2 + 1, 1]);
});

Deno.test("layOut() wraps a wide character that would straddle the edge", () => {
  const { text, rows, cursorRow, cursorColumn } = layout("abcdefg日", 8);
  assertEquals(text, "> abcdefg\r\n日");
  assertEquals([rows, cursorRow, cursorColumn], [2, 1, 2]);
});

Deno.test("layOut() puts the cursor of a full row at the start of the next", () => {
  const { rows, cursorRow, cursorColumn } = layout("abcdefgh", 8);
  assertEquals([rows, cursorRow, cursorColumn], [2, 1, 0]);
});

Deno.test("layOut() begins each line of a text with the next prompt", () => {
  const { text, rows, cursorRow, cursorColumn } = layout("one\ntwo", 1);
  assertEquals(text, "> one\r\n. two");
  assertEquals([rows, cursorRow, cursorColumn], [2, 0, 3]);
});

Deno.test("layOut() shows no empty row between a full row and the line after it", () => {
  assertEquals(layout("abcdefgh\nx", 10).text, "> abcdefgh\r\n. x");
});

Deno.test("redraw() goes back to the first row, clears, and puts the cursor in its place", () => {
  const before = layout("abcdefghij", 10);
  const after = layout("abcdefghi", 3);
  assertEquals(redraw(before, after), "\x1b[1A\r\x1b[J> abcdefgh\r\ni\x1b[1A\r\x1b[5C");
});
