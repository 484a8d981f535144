/** Plain tables for people. */
import stringWidth from "string-width";

/** Columns padded to their widest cell, two spaces between them, one line feed after each row. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => stringWidth(row[column]))));
  return all.map((row) => row.map((cell, column) => pad(cell, widths[column])).join("  ").trimEnd() + "\n")
    .join("");
}

function pad(text: string, width: number): string {
  return text + " ".repeat(width - stringWidth(text));
}
