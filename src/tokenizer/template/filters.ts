/** Jinja2's filters, by name: `{{ value | filter(arguments) }}`. */
import { checkTextLength } from "./limits.ts";
import { join, pad } from "./methods.ts";
import { dumpJson, parseJson } from "./python_json.ts";
import { capitalize, codePointLength, repeat, replace, splitLines, strip } from "./strings.ts";
import { TemplateError } from "./template_error.ts";
import { findTest, type TestFunction } from "./tests.ts";
import {
  Arguments,
  compare,
  equals,
  Float,
  Generator,
  isTrue,
  iterate,
  orElse,
  repr,
  toNumber,
  toSequence,
  toText,
  Tuple,
  typeName,
  Undefined,
  type Value,
} from "./values.ts";

/** What filters need from the interpreter. */
export interface FilterContext {
  /** `value.name`, as the template would read it. */
  attribute(value: Value, name: string): Value;
}

/** A filter: the value before the bar, the arguments behind its name. */
export type Filter = (value: Value, args: Arguments, context: FilterContext) => Value;

const FILTERS: Record<string, Filter> = {
  abs: (value) => withNumber(value, Math.abs),
  attr: (value, args, context) => context.attribute(value, args.string(0, "name")),
  batch: (value, args) =>
    new Generator(batch(iterate(value), args.integer(0, "linecount"), args.get(1, "fill_with", null))),
  capitalize: (value) => capitalize(toText(value)),
  center: (value, args) => pad(toText(value), args, "both"),
  count: length,
  d: orDefault,
  default: orDefault,
  dictsort: dictSort,
  e: escape,
  escape,
  first: (value) => orElse<Value>(iterate(value).at(0), new Undefined("the first item of an empty sequence")),
  float: (value, args) => {
    const number = typeof value === "string" ? parseFloatText(value) : toNumber(value);
    return number === undefined ? args.get(0, "default", new Float(0)) : new Float(number);
  },
  format: (value, args) => formatPercent(toText(value), args.positional),
  from_json: (value) => parseJsonText(toText(value)),
  groupby: groupBy,
  indent,
  int: (value, args) => {
    const number = typeof value === "string" ? parseFloatText(value) : toNumber(value);
    return number === undefined ? args.get(0, "default", 0) : Math.trunc(number);
  },
  items: (value) => {
    if (value instanceof Undefined) return new Generator([]);
    if (!(value instanceof Map)) {
      throw new TemplateError(`items can only be applied to a mapping, not ${typeName(value)}`);
    }
    return new Generator([...value].map(([key, item]) => new Tuple([key, item])));
  },
  join: (value, args, context) => {
    const name = args.get(1, "attribute", null);
    const items = iterate(value);
    return join(
      name === null ? items : items.map((item) => path(item, name, context)),
      toText(args.get(0, "d", "")),
    );
  },
  last: (value) => orElse<Value>(iterate(value).at(-1), new Undefined("the last item of an empty sequence")),
  length,
  list: (value) => iterate(value).slice(),
  lower: (value) => toText(value).toLowerCase(),
  map,
  max: (value, args, context) => extreme(value, args, context, 1),
  min: (value, args, context) => extreme(value, args, context, -1),
  reject: (value, args, context) => select(value, args, context, { wanted: false, byAttribute: false }),
  rejectattr: (value, args, context) => select(value, args, context, { wanted: false, byAttribute: true }),
  replace: (value, args) =>
    replace(toText(value), args.string(0, "old"), args.string(1, "new"), args.integer(2, "count", -1)),
  reverse: (value) => {
    return typeof value === "string"
      ? Array.from(value).reverse().join("")
      : new Generator(iterate(value).slice().reverse());
  },
  round: (value, args) => {
    const scale = 10 ** args.integer(0, "precision", 0);
    const rounding = args.string(1, "method", "common");
    const operation = rounding === "ceil" ? Math.ceil : rounding === "floor" ? Math.floor : roundHalfEven;
    return new Float(operation((toNumber(value) ?? NaN) * scale) / scale);
  },
  safe: (value) => value,
  select: (value, args, context) => select(value, args, context, { wanted: true, byAttribute: false }),
  selectattr: (value, args, context) => select(value, args, context, { wanted: true, byAttribute: true }),
  sort: (value, args, context) => {
    const name = args.get(2, "attribute", null);
    const key = (item: Value) => folded(path(item, name, context), args.flag(1, "case_sensitive", false));
    const sorted = sortBy(iterate(value), key);
    return args.flag(0, "reverse", false) ? sorted.reverse() : sorted;
  },
  string: (value) => toText(value),
  sum: (value, args, context) => {
    const name = args.get(0, "attribute", null);
    const items = iterate(value).map((item) => path(item, name, context));
    const total = [args.get(1, "start", 0), ...items].map((item) => toNumber(item) ?? NaN).reduce((a, b) =>
      a + b
    );
    return items.some((item) => item instanceof Float) ? new Float(total) : total;
  },
  title: (value) => {
    // Jinja2's own notion of words: it splits only at white space, hyphens and opening brackets.
    return toText(value).replace(/[^-\s({[<]+/g, (word) => capitalize(word));
  },
  tojson: (value, args) => {
    const indent = args.get(1, "indent", null);
    const separators = toSequence(args.get(2, "separators", null))?.map(toText);
    return dumpJson(value, {
      ensureAscii: args.flag(0, "ensure_ascii", false),
      indent: indent === null ? undefined : toNumber(indent),
      separators: separators && [separators[0], separators[1]],
      sortKeys: args.flag(3, "sort_keys", false),
    });
  },
  trim: (value, args) => {
    return strip(
      toText(value),
      "both",
      args.get(0, "chars", null) === null ? undefined : args.string(0, "chars"),
    );
  },
  truncate: (value, args) => {
    const text = toText(value);
    const limit = args.integer(0, "length", 255);
    const end = args.string(2, "end", "...");
    if (codePointLength(text) <= limit + args.integer(3, "leeway", 5)) return text;
    const cut = Array.from(text).slice(0, Math.max(limit - end.length, 0)).join("");
    return (args.flag(1, "killwords", false) ? cut : cut.replace(/ [^ ]*$/, "")) + end;
  },
  unique: (value, args, context) => {
    const name = args.get(1, "attribute", null);
    const seen: Value[] = [];
    const unique = iterate(value).filter((item) => {
      const key = folded(path(item, name, context), args.flag(0, "case_sensitive", false));
      const isNew = !seen.some((other) => equals(other, key));
      if (isNew) seen.push(key);
      return isNew;
    });
    return new Generator(unique);
  },
  upper: (value) => toText(value).toUpperCase(),
  urlencode: (value) => encodeURIComponent(toText(value)).replaceAll("%2F", "/"),
  wordcount: (value) => toText(value).match(/[\p{L}\p{M}\p{N}_]+/gu)?.length ?? 0,
};

/** The filter of that name, or undefined. */
export function findFilter(name: string): Filter | undefined {
  return Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined;
}

function length(value: Value): number {
  if (typeof value === "string") return codePointLength(value);
  if (value instanceof Map) return value.size;
  if (value instanceof Undefined) return 0;
  const items = toSequence(value);
  if (items) return items.length;
  throw new TemplateError(`object of type '${typeName(value)}' has no length`);
}

function orDefault(value: Value, args: Arguments): Value {
  const missing = value instanceof Undefined || (args.flag(1, "boolean", false) && !isTrue(value));
  return missing ? args.get(0, "default_value", "") : value;
}

function escape(value: Value): string {
  const entities: Record<string, string> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&#34;",
    "'": "&#39;",
  };
  return toText(value).replace(/[&<>"']/g, (character) => entities[character]);
}

function indent(value: Value, args: Arguments): string {
  const width = args.get(0, "width", 4);
  const prefix = typeof width === "string" ? width : repeat(" ", toNumber(width) ?? 0);
  const lines = splitLines(toText(value) + "\n");
  const blank = args.flag(2, "blank", false);
  const indented = lines.map((line, i) =>
    (i === 0 ? args.flag(1, "first", false) : blank || line !== "") ? prefix + line : line
  );
  checkTextLength(indented.reduce((sum, line) => sum + line.length + 1, 0));
  return indented.join("\n");
}

/** The items that `map`, `select` and their like go through: none of a false value, even one that cannot be iterated. */
function itemsIfTrue(value: Value): Value[] {
  return isTrue(value) ? iterate(value) : [];
}

function map(value: Value, args: Arguments, context: FilterContext): Value {
  const items = itemsIfTrue(value);
  const name = args.named.get("attribute");
  if (name !== undefined) {
    const fallback = args.named.get("default");
    return new Generator(items.map((item) => {
      const found = path(item, name, context);
      return found instanceof Undefined ? orElse(fallback, found) : found;
    }));
  }
  const filter = findFilter(args.string(0, "filter"));
  if (!filter) throw new TemplateError(`no filter named '${args.string(0, "filter")}'`);
  const rest = new Arguments(args.positional.slice(1), args.named);
  return new Generator(items.map((item) => filter(item, rest, context)));
}

function select(
  value: Value,
  args: Arguments,
  context: FilterContext,
  how: { wanted: boolean; byAttribute: boolean },
): Generator {
  const [name, ...rest] = how.byAttribute ? args.positional : ["", ...args.positional];
  const test = rest.length === 0 ? (item: Value) => isTrue(item) : namedTest(toText(rest[0]));
  const testArguments = new Arguments(rest.slice(1), args.named);
  const selected = itemsIfTrue(value).filter((item) => {
    const subject = how.byAttribute ? path(item, name, context) : item;
    return test(subject, testArguments) === how.wanted;
  });
  return new Generator(selected);
}

function namedTest(name: string): TestFunction {
  const test = findTest(name);
  if (!test) throw new TemplateError(`no test named '${name}'`);
  return test;
}

/** The attribute that a dotted name (or an index) leads to; the item itself for None. */
function path(item: Value, name: Value, context: FilterContext): Value {
  if (name === null) return item;
  if (typeof name === "number") {
    return orElse<Value>(toSequence(item)?.at(name), new Undefined(`item ${name}`));
  }
  return toText(name).split(".").reduce<Value>((value, part) => {
    const index = /^\d+$/.test(part) ? toSequence(value)?.[Number(part)] : undefined;
    return index === undefined ? context.attribute(value, part) : index;
  }, item);
}

function folded(value: Value, caseSensitive: boolean): Value {
  return typeof value === "string" && !caseSensitive ? value.toLowerCase() : value;
}

function sortBy(items: readonly Value[], key: (item: Value) => Value): Value[] {
  return items.map((item) => ({ item, key: key(item) })).sort((a, b) => compare(a.key, b.key)).map((
    { item },
  ) => item);
}

function extreme(value: Value, args: Arguments, context: FilterContext, sign: 1 | -1): Value {
  const name = args.get(1, "attribute", null);
  const key = (item: Value) => folded(path(item, name, context), args.flag(0, "case_sensitive", false));
  const items = iterate(value);
  if (items.length === 0) return new Undefined("the extreme of an empty sequence");
  return items.reduce((best, item) => sign * compare(key(item), key(best)) > 0 ? item : best);
}

function dictSort(value: Value, args: Arguments): Value[] {
  if (!(value instanceof Map)) throw new TemplateError(`dictsort needs a mapping, not ${typeName(value)}`);
  const position = args.string(1, "by", "key") === "value" ? 1 : 0;
  const entries = [...value].map((entry) => new Tuple([...entry]));
  const key = (entry: Value) =>
    folded((entry as Tuple).items[position], args.flag(0, "case_sensitive", false));
  const sorted = sortBy(entries, key);
  return args.flag(2, "reverse", false) ? sorted.reverse() : sorted;
}

function groupBy(value: Value, args: Arguments, context: FilterContext): Value[] {
  const name = args.get(0, "attribute", "");
  const key = (item: Value) => path(item, name, context);
  const groups: Tuple[] = [];
  for (const item of sortBy(iterate(value), key)) {
    const group = groups.at(-1);
    if (group && equals(group.items[0], key(item))) (group.items[1] as Value[]).push(item);
    else groups.push(new Tuple([key(item), [item]], ["grouper", "list"]));
  }
  return groups;
}

function batch(items: readonly Value[], size: number, fill: Value): Value[] {
  const rows: Value[] = [];
  for (let i = 0; i < items.length; i += Math.max(size, 1)) {
    const row = items.slice(i, i + Math.max(size, 1));
    while (fill !== null && row.length < size) row.push(fill);
    rows.push(row);
  }
  return rows;
}

function parseJsonText(text: string): Value {
  try {
    return parseJson(text);
  } catch (error) {
    throw new TemplateError(`from_json: ${(error as Error).message}`, { cause: error });
  }
}

function withNumber(value: Value, operation: (number: number) => number): Value {
  const number = toNumber(value);
  if (number === undefined) throw new TemplateError(`a number is needed, not ${typeName(value)}`);
  return value instanceof Float ? new Float(operation(number)) : operation(number);
}

function parseFloatText(text: string): number | undefined {
  const trimmed = text.trim();
  return /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(trimmed) ? Number(trimmed) : undefined;
}

function roundHalfEven(value: number): number {
  const rounded = Math.round(value);
  return Math.abs(value % 1) === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded;
}

/** Python's `text % arguments` with %s, %r, %d, %f, %x and flags for sign, zeros, width and precision. */
export function formatPercent(text: string, args: readonly Value[]): string {
  let next = 0;
  return text.replace(/%(-?)(\+?)(0?)(\d*)(?:\.(\d+))?([%srdifx])/g, (...groups) => {
    const [, left, plus, zero, width, precision, kind] = groups as string[];
    if (kind === "%") return "%";
    if (next >= args.length) throw new TemplateError("not enough arguments for format string");
    const value = args[next++];
    const number = toNumber(value);
    if (number === undefined && kind !== "s" && kind !== "r") {
      throw new TemplateError(`%${kind} needs a number`);
    }
    const digits = kind === "f"
      ? number!.toFixed(Number(precision ?? 6))
      : kind === "x"
      ? Math.trunc(number!).toString(16)
      : String(Math.trunc(number ?? 0));
    const shown = kind === "s"
      ? toText(value)
      : kind === "r"
      ? repr(value)
      : plus && number! >= 0
      ? plus + digits
      : digits;
    checkTextLength(Number(width));
    return left
      ? shown.padEnd(Number(width))
      : shown.padStart(Number(width), zero && kind !== "s" ? "0" : " ");
  });
}
