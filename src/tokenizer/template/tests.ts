/** Jinja2's tests, by name: `{{ value is test }}`. */
import { TemplateError } from "./template_error.ts";
import {
  type Arguments,
  compare,
  contains,
  equals,
  Float,
  Func,
  Generator,
  toNumber,
  toSequence,
  toText,
  typeName,
  Undefined,
  type Value,
} from "./values.ts";

/** A test: the value before `is`, and what stands in parentheses behind the test's name. */
export type TestFunction = (value: Value, args: Arguments) => boolean;

const TESTS: Record<string, TestFunction> = {
  boolean: (value) => typeof value === "boolean",
  callable: (value) => value instanceof Func,
  defined: (value) => !(value instanceof Undefined),
  divisibleby: (value, args) => wholeNumber(value) % args.integer(0, "num") === 0,
  eq: (value, args) => equals(value, other(args)),
  even: (value) => wholeNumber(value) % 2 === 0,
  false: (value) => value === false,
  float: (value) => value instanceof Float,
  ge: (value, args) => compare(value, other(args)) >= 0,
  gt: (value, args) => compare(value, other(args)) > 0,
  in: (value, args) => contains(other(args), value),
  integer: (value) => typeof value === "number" || typeof value === "bigint",
  iterable: (value) => {
    return typeof value === "string" || value instanceof Map || value instanceof Undefined ||
      value instanceof Generator || toSequence(value) !== undefined;
  },
  le: (value, args) => compare(value, other(args)) <= 0,
  lower: (value) =>
    toText(value) === toText(value).toLowerCase() && toText(value) !== toText(value).toUpperCase(),
  lt: (value, args) => compare(value, other(args)) < 0,
  mapping: (value) => value instanceof Map,
  ne: (value, args) => !equals(value, other(args)),
  none: (value) => value === null,
  number: (value) => toNumber(value) !== undefined,
  odd: (value) => wholeNumber(value) % 2 !== 0,
  sameas: (value, args) => value === other(args),
  sequence: (value) => typeof value === "string" || value instanceof Map || toSequence(value) !== undefined,
  string: (value) => typeof value === "string",
  true: (value) => value === true,
  undefined: (value) => value instanceof Undefined,
  upper: (value) =>
    toText(value) === toText(value).toUpperCase() && toText(value) !== toText(value).toLowerCase(),
};

const SYNONYMS: Record<string, string> = {
  "==": "eq",
  "!=": "ne",
  "<": "lt",
  "<=": "le",
  ">": "gt",
  ">=": "ge",
  equalto: "eq",
  greaterthan: "gt",
  lessthan: "lt",
};

/** The test of that name, or undefined. */
export function findTest(name: string): TestFunction | undefined {
  const own = Object.hasOwn(SYNONYMS, name) ? SYNONYMS[name] : name;
  return Object.hasOwn(TESTS, own) ? TESTS[own] : undefined;
}

function other(args: Arguments): Value {
  return args.get(0, "other", new Undefined("the other value of a test"));
}

function wholeNumber(value: Value): number {
  const number = toNumber(value);
  if (number === undefined) throw new TemplateError(`a number is needed, not ${typeName(value)}`);
  return number;
}
