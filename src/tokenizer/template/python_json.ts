/**
 * JSON as Python reads and writes it: `json.dumps` for the filter `tojson`, and a parser that keeps what
 * JavaScript's loses: the order of keys that look like numbers, and whether 2.0 is a float.
 */
import { TemplateError } from "./template_error.ts";
import { type Dict, Float, floatText, type Key, toSequence, typeName, type Value } from "./values.ts";

/** Options of `json.dumps`. */
export interface DumpOptions {
  /** Spaces per level; none for one line. */
  indent?: number;
  /** Escape everything beyond ASCII. */
  ensureAscii?: boolean;
  /** Between items, and between key and value. */
  separators?: readonly [string, string];
  /** Order keys. */
  sortKeys?: boolean;
}

/** `json.dumps(value)`. Throws for what is not JSON, undefined values among it. */
export function dumpJson(value: Value, options: DumpOptions = {}, level = 0): string {
  if (value === null) return "null";
  if (typeof value === "string") return dumpString(value, options.ensureAscii ?? false);
  if (value instanceof Float) {
    return Number.isFinite(value.value) ? floatText(value.value) : String(value.value);
  }
  if (typeof value === "boolean" || typeof value === "number" || typeof value === "bigint") {
    return String(value);
  }
  const items = toSequence(value);
  if (items) {
    return dumpContainer(
      "[]",
      items.map((item) => dumpJson(item, options, level + 1)),
      options,
      level,
    );
  }
  if (!(value instanceof Map)) throw new TemplateError(`a value of type ${typeName(value)} is not JSON`);
  const [, colon] = separators(options);
  const entries = [...value].map(([key, item]) => [dumpKey(key), item] as const);
  if (options.sortKeys) entries.sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0);
  const members = entries.map(([key, item]) =>
    dumpString(key, options.ensureAscii ?? false) + colon + dumpJson(item, options, level + 1)
  );
  return dumpContainer("{}", members, options, level);
}

function separators(options: DumpOptions): readonly [string, string] {
  return options.separators ?? [options.indent === undefined ? ", " : ",", ": "];
}

function dumpContainer(brackets: string, members: string[], options: DumpOptions, level: number): string {
  if (members.length === 0) return brackets;
  const [comma] = separators(options);
  if (options.indent === undefined) return brackets[0] + members.join(comma) + brackets[1];
  const outer = "\n" + " ".repeat(options.indent * level);
  const inner = outer + " ".repeat(options.indent);
  return brackets[0] + inner + members.join(comma + inner) + outer + brackets[1];
}

function dumpString(text: string, ensureAscii: boolean): string {
  const json = JSON.stringify(text);
  if (!ensureAscii) return json;
  return json.replace(/[\x7f-\uffff]/g, (unit) => "\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0"));
}

function dumpKey(key: Key): string {
  return typeof key === "string" ? key : key === null ? "null" : String(key);
}

/** Deeper nesting is refused before it can exhaust the stack. */
const DEPTH_LIMIT = 500;
const SPACE = /[ \t\n\r]*/y;
const WORD = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** Parses JSON into template values. Throws `SyntaxError` for what is not JSON. */
export function parseJson(text: string): Value {
  const parser = new JsonParser(text);
  const value = parser.value(0);
  parser.end();
  return value;
}

class JsonParser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): Value {
    if (depth > DEPTH_LIMIT) this.#fail("nesting this deep");
    if (this.#take("[")) return this.#list(depth);
    if (this.#take("{")) return this.#dict(depth);
    if (this.#text[this.#at] === '"') return this.#string();
    const word = this.#match(WORD);
    if (word === "") this.#fail("this");
    if (word === "null") return null;
    if (word === "true" || word === "false") return word === "true";
    if (/[.eE]/.test(word)) return new Float(Number(word));
    return Number.isSafeInteger(Number(word)) ? Number(word) : BigInt(word);
  }

  end(): void {
    this.#match(SPACE);
    if (this.#at < this.#text.length) this.#fail("text behind the value");
  }

  #list(depth: number): Value[] {
    const list: Value[] = [];
    while (!this.#take("]")) {
      if (list.length > 0) this.#expect(",");
      list.push(this.value(depth + 1));
    }
    return list;
  }

  #dict(depth: number): Dict {
    const dict: Dict = new Map();
    while (!this.#take("}")) {
      if (dict.size > 0) this.#expect(",");
      this.#match(SPACE);
      const key = this.#string();
      this.#expect(":");
      dict.set(key, this.value(depth + 1));
    }
    return dict;
  }

  #string(): string {
    const start = this.#at;
    if (this.#text[start] !== '"') this.#fail("this");
    let end = start + 1;
    while (end < this.#text.length && this.#text[end] !== '"') end += this.#text[end] === "\\" ? 2 : 1;
    this.#at = end + 1;
    return JSON.parse(this.#text.slice(start, this.#at)).toWellFormed();
  }

  /** Skips white space, then takes `symbol` if it comes next. */
  #take(symbol: string): boolean {
    this.#match(SPACE);
    const found = this.#text[this.#at] === symbol;
    if (found) this.#at++;
    return found;
  }

  #expect(symbol: string): void {
    if (!this.#take(symbol)) this.#fail(`anything but "${symbol}"`);
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? "";
    this.#at += found.length;
    return found;
  }

  #fail(what: string): never {
    throw new SyntaxError(`JSON cannot have ${what} at position ${this.#at}`);
  }
}
