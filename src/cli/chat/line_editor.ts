/**
 * Reads one text from a terminal with the editing keys of readline: arrows, words, cut and yank, history with a
 * search (Ctrl+R), several lines (Alt+Enter or Ctrl+J, or a paste).
 */
import type { Action, Key } from "./keys.ts";
import type { History } from "./history.ts";
import { type Layout, layOut, type Prompts, redraw } from "./layout.ts";
import { graphemes, LineBuffer } from "./line_buffer.ts";
import type { Terminal } from "./raw_terminal.ts";

/** How reading a text ended. */
export type Submitted =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "interrupt"; readonly hadText: boolean }
  | { readonly kind: "end" };

// deno-lint-ignore no-control-regex -- a paste may carry control sequences, which must not reach the screen
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/** Line editor over one terminal and one history. */
export class LineEditor {
  readonly #terminal: Terminal;
  readonly #history: History;
  readonly #buffer = new LineBuffer();
  #prompts: Prompts = { first: "", next: "" };
  #drawn: Layout | undefined;
  /** Index into the history of what is shown; its length while a new text is typed. */
  #historyIndex = 0;
  #draft = "";
  #search: { query: string; index: number } | undefined;

  /** Edits on `terminal`; the arrows walk through `history`. */
  constructor(terminal: Terminal, history: History) {
    this.#terminal = terminal;
    this.#history = history;
  }

  /** Reads one text behind `prompts`. */
  async read(prompts: Prompts): Promise<Submitted> {
    this.#prompts = prompts;
    this.#buffer.set("");
    this.#drawn = undefined;
    this.#historyIndex = this.#history.entries.length;
    this.#terminal.onResize(() => this.#draw());
    this.#draw();
    try {
      while (true) {
        const key = await this.#terminal.nextKey();
        const done = key ? this.#apply(key) : this.#finish({ kind: "end" });
        if (done) return done;
        this.#draw();
      }
    } finally {
      this.#terminal.onResize(undefined);
    }
  }

  #apply(key: Key): Submitted | undefined {
    if (this.#search && this.#applyToSearch(key, this.#search)) return undefined;
    if (key.type === "action") return this.#act(key.action);
    this.#buffer.insert(key.text.replace(CONTROL, ""));
    return undefined;
  }

  #act(action: Action): Submitted | undefined {
    const buffer = this.#buffer;
    switch (action) {
      case "submit":
        return this.#finish({ kind: "text", text: buffer.text });
      case "interrupt":
        return this.#finish({ kind: "interrupt", hadText: buffer.text !== "" });
      case "endOfInput":
        if (buffer.text === "") return this.#finish({ kind: "end" });
        buffer.delete();
        break;
      case "newline":
        buffer.insert("\n");
        break;
      case "left":
        buffer.move(-1);
        break;
      case "right":
        buffer.move(1);
        break;
      case "up":
        if (!buffer.moveLine(-1)) this.#walkHistory(-1);
        break;
      case "down":
        if (!buffer.moveLine(1)) this.#walkHistory(1);
        break;
      case "clearScreen":
        this.#terminal.write("\x1b[H\x1b[2J");
        this.#drawn = undefined;
        break;
      case "suspend":
        this.#terminal.suspend();
        this.#drawn = undefined;
        break;
      case "search":
        this.#search = { query: "", index: this.#history.entries.length };
        break;
      case "cancel":
        break;
      default:
        buffer[action]();
    }
    return undefined;
  }

  /** True when the search used `key` up; otherwise the search is over and what it found is edited. */
  #applyToSearch(key: Key, search: { query: string; index: number }): boolean {
    if (key.type !== "action") {
      search.query += key.text;
      this.#find(search, this.#history.entries.length - 1);
      return true;
    }
    if (key.action === "search") {
      this.#find(search, search.index - 1);
      return true;
    }
    if (key.action === "backspace") {
      search.query = graphemes(search.query).slice(0, -1).join("");
      this.#find(search, this.#history.entries.length - 1);
      return true;
    }
    this.#search = undefined;
    return key.action === "cancel";
  }

  #find(search: { query: string; index: number }, from: number): void {
    for (let index = from; index >= 0; index--) {
      if (!this.#history.entries[index].includes(search.query)) continue;
      search.index = index;
      this.#buffer.set(this.#history.entries[index]);
      return;
    }
  }

  #walkHistory(step: -1 | 1): void {
    const { entries } = this.#history;
    const index = this.#historyIndex + step;
    if (index < 0 || index > entries.length) return;
    if (this.#historyIndex === entries.length) this.#draft = this.#buffer.text;
    this.#historyIndex = index;
    this.#buffer.set(index === entries.length ? this.#draft : entries[index]);
  }

  #draw(): void {
    const columns = this.#terminal.columns();
    const prompts = this.#search
      ? { first: `(search "${this.#search.query}") `, next: this.#prompts.next }
      : this.#prompts;
    const layout = layOut(prompts, this.#buffer.cells, this.#buffer.cursor, columns);
    this.#terminal.write(redraw(this.#drawn, layout));
    this.#drawn = layout;
  }

  #finish(result: Submitted): Submitted {
    this.#search = undefined;
    this.#buffer.move(this.#buffer.cells.length);
    this.#draw();
    this.#terminal.write(result.kind === "interrupt" ? "^C\r\n" : "\r\n");
    return result;
  }
}
