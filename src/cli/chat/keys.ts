/**
 * Turns the bytes of a terminal in raw mode into keys: UTF-8 text, control characters, the escape sequences of
 * xterm-like terminals (ECMA-48 CSI and SS3), and bracketed paste (`ESC [ 200 ~` text `ESC [ 201 ~`).
 *
 * Everything may arrive in pieces: what is not complete yet waits for the next bytes.
 */

/** Keys that are not text, named by what they do in the line editor. */
export type Action =
  | "submit"
  | "newline"
  | "backspace"
  | "delete"
  | "left"
  | "right"
  | "up"
  | "down"
  | "home"
  | "end"
  | "wordLeft"
  | "wordRight"
  | "deleteToEnd"
  | "deleteToStart"
  | "deleteWord"
  | "yank"
  | "clearScreen"
  | "search"
  | "interrupt"
  | "endOfInput"
  | "suspend"
  | "cancel";

/** One key press, or one run of text, or one paste. */
export type Key = { type: "action"; action: Action } | { type: "text"; text: string } | {
  type: "paste";
  text: string;
};

const CONTROL: Record<string, Action> = {
  "\x01": "home",
  "\x02": "left",
  "\x03": "interrupt",
  "\x04": "endOfInput",
  "\x05": "end",
  "\x06": "right",
  "\x07": "cancel",
  "\x08": "backspace",
  "\n": "newline",
  "\x0b": "deleteToEnd",
  "\x0c": "clearScreen",
  "\r": "submit",
  "\x0e": "down",
  "\x10": "up",
  "\x12": "search",
  "\x15": "deleteToStart",
  "\x17": "deleteWord",
  "\x19": "yank",
  "\x1a": "suspend",
  "\x7f": "backspace",
};

// What follows ESC; modifiers (`1;5` for Ctrl) are part of the sequence.
const ESCAPED: Record<string, Action> = {
  "[A": "up",
  "[B": "down",
  "[C": "right",
  "[D": "left",
  "[H": "home",
  "[F": "end",
  "OA": "up",
  "OB": "down",
  "OC": "right",
  "OD": "left",
  "OH": "home",
  "OF": "end",
  "[1~": "home",
  "[3~": "delete",
  "[4~": "end",
  "[7~": "home",
  "[8~": "end",
  "[1;5C": "wordRight",
  "[1;5D": "wordLeft",
  "[1;3C": "wordRight",
  "[1;3D": "wordLeft",
  "b": "wordLeft",
  "f": "wordRight",
  "\r": "newline",
  "\n": "newline",
  "\x7f": "deleteWord",
};

const PASTE_START = "\x1b[200~";
const PASTE_END = "\x1b[201~";
// deno-lint-ignore no-control-regex -- control characters are the subject here
const ESCAPE_SEQUENCE = /^\x1b(?:\[[0-9;?<=>]*[@-~]|O[A-Za-z]|[^[O])/u;
// deno-lint-ignore no-control-regex -- as above
const INCOMPLETE_ESCAPE = /^\x1b(?:\[[0-9;?<=>]*|O)?$/;
// deno-lint-ignore no-control-regex -- as above
const TEXT_RUN = /^[^\x00-\x1f\x7f]+/u;

/** Decodes a stream of terminal bytes; keeps what is incomplete. */
export class KeyDecoder {
  readonly #utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
  #pending = "";

  /** The keys that `bytes` complete, in order. */
  push(bytes: Uint8Array): Key[] {
    this.#pending += this.#utf8.decode(bytes, { stream: true });
    const keys: Key[] = [];
    while (this.#pending.length > 0) {
      const key = this.#next();
      if (key === "incomplete") break;
      if (key !== "unknown") keys.push(key);
    }
    return keys;
  }

  #next(): Key | "incomplete" | "unknown" {
    const pending = this.#pending;
    if (pending.startsWith(PASTE_START)) return this.#paste();
    const run = TEXT_RUN.exec(pending);
    if (run) return this.#take(run[0].length, { type: "text", text: run[0] });
    if (pending[0] !== "\x1b") return this.#take(1, action(CONTROL[pending[0]]));
    if (INCOMPLETE_ESCAPE.test(pending)) return "incomplete";
    const sequence = ESCAPE_SEQUENCE.exec(pending);
    if (!sequence) return this.#take(1, "unknown");
    return this.#take(sequence[0].length, action(ESCAPED[sequence[0].slice(1)]));
  }

  #paste(): Key | "incomplete" {
    const end = this.#pending.indexOf(PASTE_END);
    if (end < 0) return "incomplete";
    const text = this.#pending.slice(PASTE_START.length, end);
    return this.#take(end + PASTE_END.length, { type: "paste", text: text.replaceAll(/\r\n?/g, "\n") });
  }

  #take<T>(length: number, key: T): T {
    this.#pending = this.#pending.slice(length);
    return key;
  }
}

function action(name: Action | undefined): Key | "unknown" {
  return name ? { type: "action", action: name } : "unknown";
}
