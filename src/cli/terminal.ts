/** What the terminal can do, and the few control sequences that zinc uses. */

/** A sequence that sets text attributes; written only where {@linkcode colorsOn} holds. */
export const STYLE = {
  /** Back to plain text. */
  reset: "\x1b[0m",
  /** Less visible: statistics and hints. */
  dim: "\x1b[2m",
  /** For OK. */
  green: "\x1b[32m",
  /** For WARN. */
  yellow: "\x1b[33m",
  /** For FAIL. */
  red: "\x1b[31m",
} as const;

/** Names of the text attributes. */
export type Style = Exclude<keyof typeof STYLE, "reset">;

/** True when `stream` is a terminal whose user has not asked for plain text (see no-color.org). */
export function colorsOn(stream: { isTerminal(): boolean } = Deno.stderr): boolean {
  return stream.isTerminal() && !Deno.env.get("NO_COLOR") && Deno.env.get("TERM") !== "dumb";
}

/** `text` with a style around it, or as it is when `stream` shows no colours. */
export function styled(text: string, style: Style, stream: { isTerminal(): boolean } = Deno.stderr): string {
  return colorsOn(stream) ? STYLE[style] + text + STYLE.reset : text;
}

/** Width of the terminal in columns, 80 when it does not tell. */
export function terminalColumns(): number {
  try {
    return Deno.consoleSize().columns || 80;
  } catch {
    return 80;
  }
}
