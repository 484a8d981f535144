/**
 * Text from a file, made safe for a terminal and for a one-line message: a model's name can hold escape sequences
 * that retitle windows or hide what follows.
 */

// C0 and C1 controls, DEL, and the characters that break lines, turn the writing direction or do not print at all.
// deno-lint-ignore no-control-regex
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** Replaces control characters by escapes such as `\n` and `\x1b`. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (c) => {
    if (c === "\n") return "\\n";
    if (c === "\t") return "\\t";
    if (c === "\r") return "\\r";
    const code = c.charCodeAt(0).toString(16);
    return code.length <= 2 ? `\\x${code.padStart(2, "0")}` : `\\u${code.padStart(4, "0")}`;
  });
}

/** `text` printable, in double quotes, and cut to `limit` characters. */
export function quoted(text: string, limit = 80): string {
  return `"${printable(text.length > limit ? `${text.slice(0, limit)}...` : text)}"`;
}
