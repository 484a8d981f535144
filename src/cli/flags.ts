/** Parsers for option values: each names the values it takes when it gets another one. */
import { InvalidArgumentError } from "commander";

/** Parser of whole numbers from `min` on. */
export function wholeNumber(min = 0, max = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^[+-]?\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Expected a whole number ${bounds(min, max)}`);
  };
}

/** Parses `1,2,3` (spaces allowed) into token ids. */
export function tokenList(text: string): number[] {
  const parts = text.split(/[\s,]+/).filter((part) => part !== "");
  if (parts.length === 0) throw new InvalidArgumentError("Expected token ids such as 1,2,3");
  return parts.map((part) => {
    if (!/^\d{1,9}$/.test(part)) {
      throw new InvalidArgumentError(`Expected token ids such as 1,2,3, found "${part}"`);
    }
    return Number(part);
  });
}

/** Parser of lists such as `512,1024`, given at once or in several options; `parse` reads each item. */
export function listOf<T>(parse: (text: string) => T): (text: string, before?: readonly T[]) => T[] {
  return (text, before = []) => [...before, ...text.split(",").map((item) => parse(item.trim()))];
}

/** Collects the values of an option that may be given several times. */
export function repeated(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

function bounds(min: number, max: number): string {
  return max === Number.MAX_SAFE_INTEGER ? `from ${min} on` : `from ${min} to ${max}`;
}
