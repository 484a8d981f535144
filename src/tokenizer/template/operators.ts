/** Python's operators on template values. */
import { formatPercent } from "./filters.ts";
import { checkTextLength } from "./limits.ts";
import { repeat } from "./strings.ts";
import { TemplateError } from "./template_error.ts";
import {
  compare,
  contains,
  equals,
  Float,
  isTrue,
  toNumber,
  toSequence,
  toText,
  Tuple,
  typeName,
  Undefined,
  undefinedError,
  type Value,
} from "./values.ts";

/** `left operator right`, for every operator but `and` and `or`. */
export function applyOperator(operator: string, left: Value, right: Value): Value {
  switch (operator) {
    case "==":
      return equals(left, right);
    case "!=":
      return !equals(left, right);
    case "in":
      return contains(right, left);
    case "not in":
      return !contains(right, left);
    case "~":
      return concatenate(toText(left), toText(right));
  }
  for (const value of [left, right]) if (value instanceof Undefined) throw undefinedError(value);
  if (["<", "<=", ">", ">="].includes(operator)) return ordered(operator, compare(left, right));
  return arithmetic(operator, left, right);
}

function concatenate(left: string, right: string): string {
  checkTextLength(left.length + right.length);
  return left + right;
}

function ordered(operator: string, order: number): boolean {
  if (operator === "<") return order < 0;
  if (operator === "<=") return order <= 0;
  return operator === ">" ? order > 0 : order >= 0;
}

function arithmetic(operator: string, left: Value, right: Value): Value {
  if (operator === "+") {
    if (typeof left === "string" && typeof right === "string") return concatenate(left, right);
    if (Array.isArray(left) && Array.isArray(right)) return left.concat(right);
    if (left instanceof Tuple && right instanceof Tuple) return new Tuple(left.items.concat(right.items));
  }
  if (operator === "%" && typeof left === "string") {
    return formatPercent(left, right instanceof Tuple ? right.items : [right]);
  }
  if (operator === "*") {
    const [text, count] = typeof left === "string" ? [left, right] : [right, left];
    if (typeof text === "string" && typeof count === "number") return repeat(text, count);
  }
  const x = toNumber(left);
  const y = toNumber(right);
  if (x === undefined || y === undefined) throw cannot(operator, left, right);
  const result = calculate(operator, x, y);
  const isFloat = operator === "/" || left instanceof Float || right instanceof Float ||
    !Number.isInteger(result);
  return isFloat ? new Float(result) : result;
}

function calculate(operator: string, x: number, y: number): number {
  if (y === 0 && ["/", "//", "%"].includes(operator)) throw new TemplateError("division by zero");
  switch (operator) {
    case "+":
      return x + y;
    case "-":
      return x - y;
    case "*":
      return x * y;
    case "/":
      return x / y;
    case "//":
      return Math.floor(x / y);
    case "%":
      return x - y * Math.floor(x / y); // the sign of the divisor, as in Python
    case "**":
      return x ** y;
    default:
      throw new TemplateError(`unknown operator ${operator}`);
  }
}

function cannot(operator: string, left: Value, right: Value): TemplateError {
  const types = `'${typeName(left)}' and '${typeName(right)}'`;
  const both = toSequence(left) && toSequence(right) ? " (both must be lists, or both tuples)" : "";
  return new TemplateError(`unsupported operand types for ${operator}: ${types}${both}`);
}

/** `-value` and the like. */
export function applyUnary(operator: string, value: Value): Value {
  if (operator === "not") return !isTrue(value);
  const number = toNumber(value);
  if (value instanceof Undefined) throw undefinedError(value);
  if (number === undefined) {
    throw new TemplateError(`bad operand type for unary ${operator}: '${typeName(value)}'`);
  }
  const signed = operator === "-" ? -number : number;
  return value instanceof Float ? new Float(signed) : signed;
}
