/**
 * Where each grapheme of an edited text lands on a terminal of a given width, and the control sequences that redraw
 * it. Wide characters (CJK, emoji) take two columns and never straddle the right edge.
 */
import stringWidth from "string-width";

/** A drawn text: what to print, and where the cursor belongs, in rows and columns from its start. */
export interface Layout {
  /** Prompt and text with line ends for a raw terminal (`\r\n`); soft wraps included. */
  readonly text: string;
  /** Rows that the text covers, at least 1. */
  readonly rows: number;
  /** Row of the cursor, from 0. */
  readonly cursorRow: number;
  /** Column of the cursor, from 0. */
  readonly cursorColumn: number;
}

/** What is drawn around the text. */
export interface Prompts {
  /** Before the first line. */
  readonly first: string;
  /** Before every further line. */
  readonly next: string;
}

const TAB_TEXT = "    ";

/** Columns that `grapheme` takes as it is shown. */
export function shownWidth(grapheme: string): number {
  return stringWidth(shown(grapheme));
}

/** Lays out `cells` behind `prompts` on `columns` columns. */
export function layOut(prompts: Prompts, cells: readonly string[], cursor: number, columns: number): Layout {
  let text = prompts.first;
  let row = 0;
  let column = stringWidth(prompts.first);
  let cursorRow = 0;
  let cursorColumn = 0;
  const wrap = () => {
    text += "\r\n";
    row++;
    column = 0;
  };
  for (let index = 0; index <= cells.length; index++) {
    const cell = index < cells.length ? cells[index] : "";
    const width = cell === "\n" ? 0 : shownWidth(cell);
    // At the right edge terminals differ in where the cursor is, so the next row is begun explicitly.
    const needed = cell === "\n" && index !== cursor ? 0 : Math.max(width, 1);
    if (column + needed > columns) wrap();
    if (index === cursor) [cursorRow, cursorColumn] = [row, column];
    if (cell === "\n") {
      wrap();
      text += prompts.next;
      column = stringWidth(prompts.next);
    } else {
      text += shown(cell);
      column += width;
    }
  }
  return { text, rows: row + 1, cursorRow, cursorColumn };
}

/** Control sequences that replace what `before` drew by `after` and leave the cursor where it belongs. */
export function redraw(before: Layout | undefined, after: Layout): string {
  const toTop = before && before.cursorRow > 0 ? `\x1b[${before.cursorRow}A` : "";
  const up = after.rows - 1 - after.cursorRow;
  const toRow = up > 0 ? `\x1b[${up}A` : "";
  const toColumn = after.cursorColumn > 0 ? `\x1b[${after.cursorColumn}C` : "";
  return `${toTop}\r\x1b[J${after.text}${toRow}\r${toColumn}`;
}

function shown(grapheme: string): string {
  return grapheme === "\t" ? TAB_TEXT : grapheme;
}
