/**
 * The terminal in raw mode: keys come in one by one, nothing is echoed, Ctrl+C is a key. Whatever ends the process
 * (return, exception, a signal) puts the terminal back as it was.
 */
import { terminalColumns } from "../terminal.ts";
import { type Key, KeyDecoder } from "./keys.ts";

/** What the line editor needs from a terminal. */
export interface Terminal {
  /** Shows `text`, control sequences included. */
  write(text: string): void;
  /** Present width in columns. */
  columns(): number;
  /** The next key; undefined at the end of input. */
  nextKey(): Promise<Key | undefined>;
  /** Stops the process as Ctrl+Z does; returns when it goes on. */
  suspend(): void;
  /** Called with undefined to stop: `listener` runs whenever the width changed. */
  onResize(listener: (() => void) | undefined): void;
}

const PASTE_ON = "\x1b[?2004h";
const PASTE_OFF = "\x1b[?2004l";
const READ_BYTES = 4096;
const EXIT_BY_SIGNAL = { SIGTERM: 143, SIGHUP: 129, SIGQUIT: 131 } as const;

/** The process's own terminal, in raw mode until disposed. */
export class RawTerminal implements Terminal {
  readonly #screen: { writeSync(bytes: Uint8Array): number };
  readonly #encoder = new TextEncoder();
  readonly #queue: Key[] = [];
  #ended = false;
  #wake: (() => void) | undefined;
  #onInterrupt: (() => void) | undefined;
  #onResize: (() => void) | undefined;
  readonly #listeners: [Deno.Signal, () => void][] = [];

  /** Takes standard input over; shows itself on `screen`. */
  constructor(screen: { writeSync(bytes: Uint8Array): number }) {
    this.#screen = screen;
    this.#enter();
    for (const [signal, code] of Object.entries(EXIT_BY_SIGNAL)) {
      this.#listen(signal as Deno.Signal, () => {
        this[Symbol.dispose]();
        Deno.exit(code);
      });
    }
    // From another program: the terminal itself sends Ctrl+C as a key.
    this.#listen("SIGINT", () => this.#accept({ type: "action", action: "interrupt" }));
    this.#listen("SIGWINCH", () => this.#onResize?.());
    globalThis.addEventListener("unload", this.#leave);
    this.#pump();
  }

  /** See {@linkcode Terminal.write}. */
  write(text: string): void {
    let rest = this.#encoder.encode(text);
    while (rest.length > 0) rest = rest.subarray(this.#screen.writeSync(rest));
  }

  /** See {@linkcode Terminal.columns}. */
  columns(): number {
    return terminalColumns();
  }

  /** See {@linkcode Terminal.nextKey}. */
  async nextKey(): Promise<Key | undefined> {
    while (this.#queue.length === 0 && !this.#ended) {
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
    return this.#queue.shift();
  }

  /** Until the result is disposed, Ctrl+C calls `listener` instead of becoming a key; other keys wait. */
  onInterrupt(listener: () => void): Disposable {
    this.#onInterrupt = listener;
    return { [Symbol.dispose]: () => this.#onInterrupt = undefined };
  }

  /** See {@linkcode Terminal.onResize}. */
  onResize(listener: (() => void) | undefined): void {
    this.#onResize = listener;
  }

  /** See {@linkcode Terminal.suspend}. */
  suspend(): void {
    if (Deno.build.os === "windows") return;
    this.#leave();
    Deno.kill(Deno.pid, "SIGTSTP");
    this.#enter();
  }

  /** Puts the terminal back as it was. */
  [Symbol.dispose](): void {
    this.#leave();
    globalThis.removeEventListener("unload", this.#leave);
    for (const [signal, listener] of this.#listeners.splice(0)) Deno.removeSignalListener(signal, listener);
  }

  #enter(): void {
    Deno.stdin.setRaw(true);
    this.write(PASTE_ON);
  }

  readonly #leave = (): void => {
    try {
      this.write(PASTE_OFF);
      Deno.stdin.setRaw(false);
    } catch {
      // The terminal has gone; there is nothing left to put back.
    }
  };

  #listen(signal: Deno.Signal, listener: () => void): void {
    if (Deno.build.os === "windows" && signal !== "SIGHUP") return;
    Deno.addSignalListener(signal, listener);
    this.#listeners.push([signal, listener]);
  }

  async #pump(): Promise<void> {
    const decoder = new KeyDecoder();
    const buffer = new Uint8Array(READ_BYTES);
    try {
      for (let count; (count = await Deno.stdin.read(buffer)) !== null;) {
        for (const key of decoder.push(buffer.subarray(0, count))) this.#accept(key);
      }
    } catch {
      // A terminal that hangs up ends the input.
    }
    this.#ended = true;
    this.#wake?.();
  }

  #accept(key: Key): void {
    if (this.#onInterrupt && key.type === "action" && key.action === "interrupt") {
      this.#onInterrupt();
      return;
    }
    this.#queue.push(key);
    this.#wake?.();
  }
}
