/** Text from files made safe to show: a model's metadata must not be able to drive the reader's terminal. */

// C0 and C1 control characters, DEL, line and paragraph separators, and the marks that reorder text.
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/gu;
const SHORT: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** `text` with every control character written as an escape (`\n`, `\u001b`), so that it stays on one line. */
export function printable(text: string): string {
  return text.toWellFormed().replace(
    UNPRINTABLE,
    (character) => SHORT[character] ?? unicodeEscape(character),
  );
}

function unicodeEscape(character: string): string {
  return "\\u" + character.charCodeAt(0).toString(16).padStart(4, "0");
}

/** `text` without the control characters that could drive a terminal; line feeds and tabs stay. */
export function withoutControls(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, "");
}
