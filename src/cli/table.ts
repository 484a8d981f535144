/** Plain tables and sizes for people. */
import stringWidth from "string-width";

/** Columns padded to their widest cell, two spaces between them, one line feed after each row. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => stringWidth(row[column]))));
  return all.map((row) => row.map((cell, column) => pad(cell, widths[column])).join("  ").trimEnd() + "\n")
    .join("");
}

/** `98.4 MB`: decimal units, as disks and downloads are sold. */
export function formatBytes(bytes: number): string {
  for (const [unit, size] of [["GB", 1e9], ["MB", 1e6], ["kB", 1e3]] as const) {
    if (bytes >= size) return `${(bytes / size).toFixed(1)} ${unit}`;
  }
  return `${bytes} B`;
}

function pad(text: string, width: number): string {
  return text + " ".repeat(width - stringWidth(text));
}
