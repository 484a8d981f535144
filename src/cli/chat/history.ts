/**
 * What was typed before, kept in a file that only its owner can read: one JSON string per line, oldest first, in
 * `$XDG_STATE_HOME/zinc/history` (`~/.local/state` by default).
 */
import { homedir } from "node:os";
import { dirname, join } from "node:path";

const ENTRIES_MAX = 1000;

/** Path of the history file. */
export function historyPath(): string {
  const state = Deno.env.get("XDG_STATE_HOME") ||
    join(Deno.env.get("HOME") || homedir(), ".local", "state");
  return join(state, "zinc", "history");
}

/** Typed texts, oldest first. */
export class History {
  readonly #path: string | undefined;
  readonly #entries: string[];

  /** Reads the file at `path`; without a path nothing is read or written. */
  constructor(path?: string) {
    this.#path = path;
    this.#entries = path ? readEntries(path) : [];
  }

  /** The texts, oldest first. */
  get entries(): readonly string[] {
    return this.#entries;
  }

  /** Remembers `text` unless it repeats the last one. A file that cannot be written is not worth an error. */
  add(text: string): void {
    if (text.trim() === "" || text === this.#entries.at(-1)) return;
    this.#entries.push(text);
    if (this.#path) appendEntry(this.#path, text);
  }
}

function readEntries(path: string): string[] {
  let text: string;
  try {
    text = Deno.readTextFileSync(path);
  } catch {
    return [];
  }
  const entries = text.split("\n").flatMap(parseEntry);
  if (entries.length <= ENTRIES_MAX) return entries;
  const kept = entries.slice(-ENTRIES_MAX);
  writeEntries(path, kept);
  return kept;
}

function parseEntry(line: string): string[] {
  try {
    const value = JSON.parse(line);
    return typeof value === "string" ? [value] : [];
  } catch {
    return [];
  }
}

function appendEntry(path: string, entry: string): void {
  try {
    Deno.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    Deno.writeTextFileSync(path, JSON.stringify(entry) + "\n", { append: true, mode: 0o600 });
    Deno.chmodSync(path, 0o600);
  } catch {
    // A read-only home is fine: the history then lives as long as the chat.
  }
}

function writeEntries(path: string, entries: readonly string[]): void {
  const partial = `${path}.${Deno.pid}`;
  try {
    Deno.writeTextFileSync(partial, entries.map((entry) => JSON.stringify(entry) + "\n").join(""), {
      mode: 0o600,
    });
    Deno.renameSync(partial, path);
  } catch {
    // As above.
  }
}
