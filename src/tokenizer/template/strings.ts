/** Python's string operations where JavaScript's differ: white space, code points, case of words. */
import { checkTextLength } from "./limits.ts";

// str.isspace(): unlike JavaScript's trim it has U+001C to U+001F and U+0085, and not U+FEFF.
const SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const LEADING = new RegExp(`^[${SPACE}]+`);
const ONLY_SPACE = new RegExp(`^[${SPACE}]+$`);
const SPACES = new RegExp(`[${SPACE}]+`, "g");
// deno-lint-ignore no-control-regex
const LINE_END = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/g;

/** Which ends of a string to strip. */
export type Ends = "both" | "left" | "right";

/** `str.strip(characters)`; white space without `characters`. */
export function strip(text: string, ends: Ends, characters?: string): string {
  const set = characters === undefined ? undefined : new Set(characters);
  const stripped = (character: string) => set ? set.has(character) : ONLY_SPACE.test(character);
  let start = 0;
  let end = text.length;
  if (ends !== "right") {
    while (start < end) {
      const character = String.fromCodePoint(text.codePointAt(start)!);
      if (!stripped(character)) break;
      start += character.length;
    }
  }
  if (ends !== "left") {
    while (end > start) {
      const pair = end - start > 1 && isLowSurrogate(text, end - 1);
      if (!stripped(text.slice(end - (pair ? 2 : 1), end))) break;
      end -= pair ? 2 : 1;
    }
  }
  return text.slice(start, end);
}

function isLowSurrogate(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}

/** `str.split(separator, limit)`; at runs of white space without `separator`; a negative limit is none. */
export function split(text: string, separator: string | undefined, limit: number): string[] {
  if (separator !== undefined) {
    const parts = text.split(separator);
    return limit < 0 || parts.length <= limit + 1
      ? parts
      : [...parts.slice(0, limit), parts.slice(limit).join(separator)];
  }
  let rest = text.replace(LEADING, "");
  const parts: string[] = [];
  while (rest !== "") {
    SPACES.lastIndex = 0;
    const gap = limit >= 0 && parts.length >= limit ? null : SPACES.exec(rest);
    parts.push(gap ? rest.slice(0, gap.index) : rest);
    rest = gap ? rest.slice(gap.index + gap[0].length) : "";
  }
  return parts;
}

/** `str.rsplit(separator, limit)` with a separator. */
export function splitFromRight(text: string, separator: string, limit: number): string[] {
  const parts = text.split(separator);
  if (limit < 0 || parts.length <= limit + 1) return parts;
  const cut = parts.length - limit;
  return [parts.slice(0, cut).join(separator), ...parts.slice(cut)];
}

/** `str.splitlines()`. */
export function splitLines(text: string, keepEnds = false): string[] {
  const lines: string[] = [];
  let start = 0;
  for (const match of text.matchAll(LINE_END)) {
    const end = match.index + match[0].length;
    lines.push(text.slice(start, keepEnds ? end : match.index));
    start = end;
  }
  if (start < text.length) lines.push(text.slice(start));
  return lines;
}

/** `str.replace(from, to, count)`; a negative count replaces all. */
export function replace(text: string, from: string, to: string, count: number): string {
  const parts = from === "" ? ["", ...Array.from(text), ""] : text.split(from);
  const replaced = count < 0 ? parts.length - 1 : Math.min(count, parts.length - 1);
  checkTextLength(text.length + replaced * to.length);
  return parts.slice(0, replaced + 1).join(to) +
    parts.slice(replaced + 1).map((part) => from + part).join("");
}

/** `text * count`. */
export function repeat(text: string, count: number): string {
  checkTextLength(text.length * Math.max(count, 0));
  return text.repeat(Math.max(count, 0));
}

/** `str.title()`: every run of letters begins with a capital. */
export function titleCase(text: string): string {
  return text.replace(/\p{L}[\p{L}\p{M}]*/gu, (word) => capitalize(word));
}

/** `str.capitalize()`. */
export function capitalize(text: string): string {
  const [first = ""] = text;
  return first.toUpperCase() + text.slice(first.length).toLowerCase();
}

/** Number of code points, which is Python's length. */
export function codePointLength(text: string): number {
  let length = 0;
  for (let i = 0; i < text.length; i++) if (!isLowSurrogate(text, i)) length++;
  return length;
}

/** Index in code points of UTF-16 index `at`. */
export function codePointIndex(text: string, at: number): number {
  return at < 0 ? at : codePointLength(text.slice(0, at));
}

/** Python's `sequence[start:stop:step]`. */
export function slice<T>(items: readonly T[], start?: number, stop?: number, step = 1): T[] {
  const count = items.length;
  const clamp = (index: number | undefined, fallback: number) => {
    if (index === undefined) return fallback;
    const lowest = step > 0 ? 0 : -1;
    return Math.min(Math.max(index < 0 ? index + count : index, lowest), step > 0 ? count : count - 1);
  };
  const from = clamp(start, step > 0 ? 0 : count - 1);
  const to = clamp(stop, step > 0 ? count : -1);
  const picked: T[] = [];
  for (let i = from; step > 0 ? i < to : i > to; i += step) picked.push(items[i]);
  return picked;
}

/** `strftime`, with English names as in the C locale, in local time. */
export function formatTime(time: Date, format: string): string {
  const two = (n: number) => String(n).padStart(2, "0");
  const day = DAYS[time.getDay()];
  const month = MONTHS[time.getMonth()];
  const dayOfYear =
    Math.round((startOfDay(time) - new Date(time.getFullYear(), 0, 1).getTime()) / 86_400_000) + 1;
  const fields: Record<string, string> = {
    Y: String(time.getFullYear()),
    y: two(time.getFullYear() % 100),
    m: two(time.getMonth() + 1),
    d: two(time.getDate()),
    e: String(time.getDate()).padStart(2),
    H: two(time.getHours()),
    I: two(time.getHours() % 12 || 12),
    M: two(time.getMinutes()),
    S: two(time.getSeconds()),
    p: time.getHours() < 12 ? "AM" : "PM",
    A: day,
    a: day.slice(0, 3),
    B: month,
    b: month.slice(0, 3),
    j: String(dayOfYear).padStart(3, "0"),
    "%": "%",
  };
  fields.F = `${fields.Y}-${fields.m}-${fields.d}`;
  fields.T = `${fields.H}:${fields.M}:${fields.S}`;
  return format.replace(/%(-?)([A-Za-z%])/g, (whole, dash, letter) => {
    const field = Object.hasOwn(fields, letter) ? fields[letter] : whole;
    return dash ? field.replace(/^0+(?=\d)/, "") : field;
  });
}

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = "January February March April May June July August September October November December".split(
  " ",
);

function startOfDay(time: Date): number {
  return new Date(time.getFullYear(), time.getMonth(), time.getDate()).getTime();
}
