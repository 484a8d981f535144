/**
 * Methods of strings, lists and dictionaries, by the names they have in Python. Only methods that change nothing:
 * as in the sandbox that templates are written for, a template cannot alter what it is given.
 */
import { checkTextLength } from "./limits.ts";
import {
  capitalize,
  codePointIndex,
  codePointLength,
  type Ends,
  repeat,
  replace,
  split,
  splitFromRight,
  splitLines,
  strip,
  titleCase,
} from "./strings.ts";
import { TemplateError } from "./template_error.ts";
import {
  type Arguments,
  type Dict,
  equals,
  Func,
  isKey,
  iterate,
  orElse,
  repr,
  toSequence,
  toText,
  Tuple,
  typeName,
  type Value,
} from "./values.ts";

type Method<T> = (self: T, args: Arguments) => Value;

const STRING_METHODS: Record<string, Method<string>> = {
  capitalize: (text) => capitalize(text),
  casefold: (text) => text.toLowerCase(),
  center: (text, args) => pad(text, args, "both"),
  count: (text, args) => text.split(args.string(0, "sub")).length - 1,
  endswith: (text, args) => affixes(args).some((affix) => text.endsWith(affix)),
  find: (text, args) => codePointIndex(text, text.indexOf(args.string(0, "sub"))),
  format: formatFields,
  index: (text, args) => codePointIndex(text, found(text.indexOf(args.string(0, "sub")))),
  isalnum: (text) => /^[\p{L}\p{N}]+$/u.test(text),
  isalpha: (text) => /^\p{L}+$/u.test(text),
  isdigit: (text) => /^\p{Nd}+$/u.test(text),
  islower: (text) => text !== text.toUpperCase() && text === text.toLowerCase(),
  isnumeric: (text) => /^\p{N}+$/u.test(text),
  isspace: (text) => text !== "" && strip(text, "both") === "",
  isupper: (text) => text !== text.toLowerCase() && text === text.toUpperCase(),
  join: (text, args) => join(iterate(args.get(0, "iterable", [])), text),
  ljust: (text, args) => pad(text, args, "right"),
  lower: (text) => text.toLowerCase(),
  lstrip: (text, args) => stripMethod(text, args, "left"),
  partition: (text, args) => partition(text, args.string(0, "sep"), text.indexOf(args.string(0, "sep"))),
  removeprefix: (text, args) => {
    const prefix = args.string(0, "prefix");
    return text.startsWith(prefix) ? text.slice(prefix.length) : text;
  },
  removesuffix: (text, args) => {
    const suffix = args.string(0, "suffix");
    return suffix !== "" && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text;
  },
  replace: (text, args) =>
    replace(text, args.string(0, "old"), args.string(1, "new"), args.integer(2, "count", -1)),
  rfind: (text, args) => codePointIndex(text, text.lastIndexOf(args.string(0, "sub"))),
  rjust: (text, args) => pad(text, args, "left"),
  rpartition: (text, args) => {
    const at = text.lastIndexOf(args.string(0, "sep"));
    return at < 0 ? new Tuple(["", "", text]) : partition(text, args.string(0, "sep"), at);
  },
  rsplit: (text, args) => {
    const limit = args.integer(1, "maxsplit", -1);
    const separator = separatorOf(args);
    if (separator === undefined && limit >= 0) {
      throw new TemplateError("rsplit() needs a separator with a limit");
    }
    return separator === undefined ? split(text, undefined, -1) : splitFromRight(text, separator, limit);
  },
  rstrip: (text, args) => stripMethod(text, args, "right"),
  split: (text, args) => split(text, separatorOf(args), args.integer(1, "maxsplit", -1)),
  splitlines: (text, args) => splitLines(text, args.flag(0, "keepends", false)),
  startswith: (text, args) => affixes(args).some((affix) => text.startsWith(affix)),
  strip: (text, args) => stripMethod(text, args, "both"),
  swapcase: (text) =>
    Array.from(text, (c) => c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase()).join(""),
  title: (text) => titleCase(text),
  upper: (text) => text.toUpperCase(),
  zfill: (text, args) => {
    const [, sign, digits] = /^([+-]?)(.*)$/s.exec(text)!;
    const width = args.integer(0, "width");
    checkTextLength(width);
    return sign + digits.padStart(width - sign.length, "0");
  },
};

const LIST_METHODS: Record<string, Method<Value[]>> = {
  count: (items, args) => items.filter((item) => equals(item, args.get(0, "value", null))).length,
  index: (items, args) => found(items.findIndex((item) => equals(item, args.get(0, "value", null)))),
  copy: (items) => items.slice(),
};

const DICT_METHODS: Record<string, Method<Dict>> = {
  copy: (dict) => new Map(dict),
  get: (dict, args) => {
    const key = args.get(0, "key", null);
    return orElse(isKey(key) ? dict.get(key) : undefined, args.get(1, "default", null));
  },
  items: (dict) => [...dict].map(([key, value]) => new Tuple([key, value])),
  keys: (dict) => [...dict.keys()],
  values: (dict) => [...dict.values()],
};

/** The method `name` bound to `self`, or undefined where there is none. */
export function method(self: Value, name: string): Func | undefined {
  if (typeof self === "string") return bind(STRING_METHODS, self, name);
  if (self instanceof Map) return bind(DICT_METHODS, self, name);
  const items = toSequence(self);
  return items && bind(LIST_METHODS, items, name);
}

function bind<T>(methods: Record<string, Method<T>>, self: T, name: string): Func | undefined {
  if (!Object.hasOwn(methods, name)) return undefined;
  return new Func(name, (args) => methods[name](self, args));
}

/** The texts of `items` with `separator` between them. */
export function join(items: readonly Value[], separator: string): string {
  const texts = items.map(toText);
  checkTextLength(texts.reduce((sum, text) => sum + text.length + separator.length, 0));
  return texts.join(separator);
}

function found(index: number): number {
  if (index < 0) throw new TemplateError("index(): what was looked for is not there");
  return index;
}

function partition(text: string, separator: string, at: number): Tuple {
  return at < 0
    ? new Tuple([text, "", ""])
    : new Tuple([text.slice(0, at), separator, text.slice(at + separator.length)]);
}

function separatorOf(args: Arguments): string | undefined {
  if (args.get(0, "sep", null) === null) return undefined;
  const separator = args.string(0, "sep");
  if (separator === "") throw new TemplateError("split(): the separator is empty");
  return separator;
}

function stripMethod(text: string, args: Arguments, ends: Ends): string {
  return strip(text, ends, args.get(0, "chars", null) === null ? undefined : args.string(0, "chars"));
}

/** The argument of `startswith` and `endswith`: a string, or a tuple of them. */
function affixes(args: Arguments): string[] {
  const affix = args.get(0, "affix", null);
  if (affix instanceof Tuple && affix.items.every((item) => typeof item === "string")) return affix.items;
  if (typeof affix === "string") return [affix];
  throw new TemplateError(
    `startswith() and endswith() take a string or a tuple of strings, not ${typeName(affix)}`,
  );
}

/** Pads with spaces (or the second argument) to a width, on the given side. */
export function pad(text: string, args: Arguments, side: "left" | "right" | "both"): string {
  const width = args.integer(0, "width", 80);
  const missing = width - codePointLength(text);
  if (missing <= 0) return text;
  const fill = args.string(1, "fillchar", " ");
  const half = Math.floor(missing / 2) + (missing & width & 1); // as CPython rounds
  const left = side === "left" ? missing : side === "right" ? 0 : half;
  return repeat(fill, left) + text + repeat(fill, missing - left);
}

/** `str.format` with `{}`, `{0}` and `{name}`; conversions and format specifications are not supported. */
function formatFields(text: string, args: Arguments): string {
  let next = 0;
  return text.replace(/\{\{|\}\}|\{(\w*)(!r)?\}/g, (whole, field?: string, conversion?: string) => {
    if (field === undefined) return whole[0];
    const value = /^\d*$/.test(field)
      ? args.positional[field === "" ? next++ : Number(field)]
      : args.named.get(field);
    if (value === undefined) throw new TemplateError(`format(): nothing for {${field}}`);
    return conversion ? repr(value) : toText(value);
  });
}
