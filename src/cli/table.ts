/** Plain tables for people. */

/** Columns padded to their widest cell, two spaces between them, one line feed after each row. */
export async function table(
  header: readonly string[],
  rows: readonly (readonly string[])[],
): Promise<string> {
  // Only when there is a table to print: the package takes 40 ms to load, which every command would wait for.
  const { default: stringWidth } = await import("string-width");
  const pad = (text: string, width: number) => text + " ".repeat(width - stringWidth(text));
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => stringWidth(row[column]))));
  return all.map((row) => row.map((cell, column) => pad(cell, widths[column])).join("  ").trimEnd() + "\n")
    .join("");
}
