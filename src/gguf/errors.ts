/** How this layer words its errors: one line, with the file, what was found and where. */
import { UserError } from "../common/errors.ts";
import { printable } from "../common/printable.ts";

/** Longest part of a key or name that a message repeats. */
const QUOTED_LENGTH_MAX = 80;

/** A key or a tensor's name, safe to print, in double quotes and cut to a readable length. */
export function quoted(name: string): string {
  const cut = name.length > QUOTED_LENGTH_MAX ? `${name.slice(0, QUOTED_LENGTH_MAX)}...` : name;
  return `"${printable(cut)}"`;
}

/** A path, whole, safe to print and in double quotes. */
export function quotedPath(path: string): string {
  return `"${printable(path)}"`;
}

/** The error for a file that cannot be read as a model. */
export function cannotRead(path: string, problem: string, options?: ErrorOptions): UserError {
  return new UserError(`Cannot read ${quotedPath(path)}: ${problem}`, options);
}
