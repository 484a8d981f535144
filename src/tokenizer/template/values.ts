/**
 * The values of a chat template and how Python treats them: truth, equality, order, `str()` and `repr()`.
 *
 * Templates are written for Jinja2 in Python, so an integer is not a float, an empty list is false, a string's length
 * is counted in code points, and `None` prints as None. Strings, booleans and null are JavaScript's own; a `number`
 * is an int; what differs has a class here.
 */
import { TemplateError } from "./template_error.ts";

/** A Python float; a plain `number` is an int. */
export class Float {
  /** Wraps any double. */
  constructor(readonly value: number) {}
}

/** A Python tuple; a plain array is a list. */
export class Tuple {
  /**
   * A tuple of `items`.
   * @param items In order.
   * @param names Attributes that the items are also found under, as in a named tuple.
   */
  constructor(readonly items: Value[], readonly names: readonly string[] = []) {}
}

/** What lazy filters such as `map` and `select` give: true even when empty, and gone through only once. */
export class Generator {
  #items: Value[];

  /** Takes what is still to come. */
  constructor(items: Value[]) {
    this.#items = items;
  }

  /** All that is still to come; nothing comes after that. */
  take(): Value[] {
    const items = this.#items;
    this.#items = [];
    return items;
  }
}

/** What a name or attribute that does not exist gives: prints as nothing, is false, iterates over nothing. */
export class Undefined {
  /** Takes a description of what was looked for, for error messages. */
  constructor(readonly description: string) {}
}

/** The object that `namespace()` makes: the one thing whose attributes a template may set. */
export class Namespace {
  /** Takes the attributes by name. */
  constructor(readonly attributes: Map<string, Value>) {}
}

/** Attributes that are not a mapping, such as `loop`. */
export class Attributes {
  /** Takes the attributes by name. */
  constructor(readonly attributes: ReadonlyMap<string, Value>) {}
}

/** Something that can be called: a macro, a global function, a method bound to its object. */
export class Func {
  /**
   * A callable.
   * @param name For error messages.
   * @param call Takes the arguments of the call.
   */
  constructor(readonly name: string, readonly call: (args: Arguments) => Value) {}
}

/** What a dictionary may be keyed by. */
export type Key = string | number | bigint | boolean | null;

/** A Python dictionary, in order of insertion. */
export type Dict = Map<Key, Value>;

/** Any value of a template. */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Float
  | Value[]
  | Tuple
  | Generator
  | Dict
  | Undefined
  | Namespace
  | Attributes
  | Func;

/** Arguments of a call, positional and by name. */
export class Arguments {
  /**
   * The arguments of one call.
   * @param positional In order.
   * @param named By keyword.
   */
  constructor(
    readonly positional: readonly Value[] = [],
    readonly named: ReadonlyMap<string, Value> = new Map(),
  ) {}

  /** The argument at `index` or called `name`; `fallback` where it is not given. */
  get<T extends Value>(index: number, name: string, fallback: T): Value | T {
    return orElse(orElse<Value | undefined>(this.positional[index], this.named.get(name)), fallback);
  }

  /** As {@linkcode get}, and must be a string. */
  string(index: number, name: string, fallback?: string): string {
    const value = this.get(index, name, fallback ?? new Undefined(name));
    if (typeof value === "string") return value;
    throw new TemplateError(`argument ${name} must be a string, not ${typeName(value)}`);
  }

  /** As {@linkcode get}, and must be a whole number. */
  integer(index: number, name: string, fallback?: number): number {
    const value = this.get(index, name, fallback ?? new Undefined(name));
    const number = toNumber(value);
    if (number !== undefined && !(value instanceof Float)) return number;
    throw new TemplateError(`argument ${name} must be a whole number, not ${typeName(value)}`);
  }

  /** As {@linkcode get}, judged by its truth. */
  flag(index: number, name: string, fallback: boolean): boolean {
    return isTrue(this.get(index, name, fallback));
  }
}

/** `value`, or `fallback` where there is none: unlike `??` it takes null, which is Python's None, for a value. */
export function orElse<T>(value: T | undefined, fallback: T): T {
  return value === undefined ? fallback : value;
}

/** The name of the value's type in Python. */
export function typeName(value: Value): string {
  if (value === null) return "None";
  if (value instanceof Float) return "float";
  if (value instanceof Tuple) return "tuple";
  if (value instanceof Map) return "dict";
  if (value instanceof Undefined) return "undefined";
  if (value instanceof Generator) return "generator";
  if (value instanceof Namespace) return "namespace";
  if (value instanceof Attributes) return "object";
  if (value instanceof Func) return "function";
  if (Array.isArray(value)) return "list";
  return { boolean: "bool", string: "str", number: "int", bigint: "int" }[typeof value as string] ?? "object";
}

/** Whether Python's `if` takes the value for true. */
export function isTrue(value: Value): boolean {
  if (value instanceof Float) return value.value !== 0;
  if (value instanceof Tuple) return value.items.length > 0;
  if (value instanceof Map) return value.size > 0;
  if (value instanceof Undefined) return false;
  if (Array.isArray(value)) return value.length > 0;
  return !!value;
}

/** The value of an int, float or bool; undefined for anything else. */
export function toNumber(value: Value): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "boolean" || typeof value === "bigint") return Number(value);
  return value instanceof Float ? value.value : undefined;
}

/** The items of a list or tuple; undefined for anything else. */
export function toSequence(value: Value): Value[] | undefined {
  return Array.isArray(value) ? value : value instanceof Tuple ? value.items : undefined;
}

/** What `for` goes through: items, characters, keys; nothing for an undefined value. Throws for anything else. */
export function iterate(value: Value): Value[] {
  const items = toSequence(value);
  if (items) return items;
  if (typeof value === "string") return Array.from(value);
  if (value instanceof Generator) return value.take();
  if (value instanceof Map) return [...value.keys()];
  if (value instanceof Undefined) return [];
  throw new TemplateError(`'${typeName(value)}' object is not iterable`);
}

/** Python's `==`. */
export function equals(a: Value, b: Value): boolean {
  const x = toNumber(a);
  const y = toNumber(b);
  if (x !== undefined && y !== undefined) {
    return typeof a === "bigint" && typeof b === "bigint" ? a === b : x === y;
  }
  if (a instanceof Undefined) return b instanceof Undefined;
  if (Array.isArray(a) && Array.isArray(b)) return sameItems(a, b);
  if (a instanceof Tuple && b instanceof Tuple) return sameItems(a.items, b.items);
  if (!(a instanceof Map) || !(b instanceof Map)) return a === b;
  return a.size === b.size && [...a].every(([key, item]) => b.has(key) && equals(item, b.get(key)!));
}

function sameItems(a: Value[], b: Value[]): boolean {
  return a.length === b.length && a.every((item, i) => equals(item, b[i]));
}

/** Python's order: negative, zero or positive. Throws for values that cannot be compared. */
export function compare(a: Value, b: Value): number {
  const x = toNumber(a);
  const y = toNumber(b);
  if (x !== undefined && y !== undefined) return x - y;
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : a > b ? 1 : 0;
  const left = toSequence(a);
  const right = toSequence(b);
  if (!left || !right) throw new TemplateError(`'${typeName(a)}' and '${typeName(b)}' cannot be ordered`);
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    if (!equals(left[i], right[i])) return compare(left[i], right[i]);
  }
  return left.length - right.length;
}

/** Python's `item in container`. */
export function contains(container: Value, item: Value): boolean {
  if (typeof container === "string") {
    if (typeof item === "string") return container.includes(item);
    if (item instanceof Undefined) throw undefinedError(item);
    throw new TemplateError(`'in <string>' requires string as left operand, not ${typeName(item)}`);
  }
  if (container instanceof Map) return isKey(item) && container.has(item);
  return iterate(container).some((other) => equals(other, item));
}

/** Whether a dictionary can have the value as a key. */
export function isKey(value: Value): value is Key {
  return value === null || ["string", "number", "bigint", "boolean"].includes(typeof value);
}

/** The error of using a value that does not exist. */
export function undefinedError(value: Undefined): TemplateError {
  return new TemplateError(`${value.description} is undefined`);
}

/** Python's `str()`, which is also what `{{ }}` prints. */
export function toText(value: Value): string {
  if (typeof value === "string") return value;
  return value instanceof Undefined ? "" : repr(value);
}

/** Python's `repr()`. */
export function repr(value: Value): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return quote(value);
  if (value instanceof Float) return floatText(value.value);
  if (Array.isArray(value)) return `[${value.map(repr).join(", ")}]`;
  if (value instanceof Tuple) {
    return `(${value.items.map(repr).join(", ")}${value.items.length === 1 ? "," : ""})`;
  }
  if (value instanceof Map) {
    return `{${[...value].map(([key, item]) => `${repr(key)}: ${repr(item)}`).join(", ")}}`;
  }
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  return value instanceof Undefined ? "Undefined" : `<${typeName(value)}>`;
}

/** A float as Python writes it: always with a point or exponent, the exponent with two digits. */
export function floatText(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  if (Object.is(value, -0)) return "-0.0";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) {
    return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
  }
  return Number.isInteger(value) ? value.toFixed(1) : String(value);
}

const ESCAPES: Record<string, string> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };
// What Python's repr() does not print as it is: control, format, surrogate, private, unassigned, separators but space.
const UNPRINTABLE = /[\\\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

function quote(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replace(UNPRINTABLE, (character) => ESCAPES[character] ?? codePointEscape(character));
  return mark + (mark === "'" ? escaped.replaceAll("'", "\\'") : escaped) + mark;
}

function codePointEscape(character: string): string {
  const code = character.codePointAt(0)!;
  const [letter, digits] = code < 0x100 ? ["x", 2] : code < 0x10000 ? ["u", 4] : ["U", 8];
  return `\\${letter}${code.toString(16).padStart(digits as number, "0")}`;
}

/** A JavaScript value (as JSON gives it) as a template value; maps keep their order, objects theirs. */
export function fromJs(input: unknown): Value {
  if (input === null) return null;
  switch (typeof input) {
    case "string":
      return input.toWellFormed();
    case "boolean":
    case "bigint":
      return input;
    case "number":
      return Number.isInteger(input) ? input : new Float(input);
    case "undefined":
      return new Undefined("value");
    case "object":
      if (input instanceof Float) return input;
      if (Array.isArray(input)) return input.map(fromJs);
      return dictOf(input instanceof Map ? input : Object.entries(input));
    default:
      throw new TemplateError(`a ${typeof input} is no template value`);
  }
}

function dictOf(entries: Iterable<[unknown, unknown]>): Dict {
  const dict: Dict = new Map();
  for (const [key, item] of entries) {
    if (item !== undefined) dict.set(typeof key === "string" ? key.toWellFormed() : key as Key, fromJs(item));
  }
  return dict;
}
