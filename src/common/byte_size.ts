/** Sizes of memory as people write and read them: `1MiB`, `2.50 GiB`. */
import { usageError } from "./errors.ts";

const UNITS: Record<string, number> = { "": 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30, t: 2 ** 40 };

/** `bytes` with the largest fitting binary unit, for example `"1.50 GiB"`. */
export function formatBytes(bytes: number): string {
  if (bytes < 2 ** 10) return `${bytes} B`;
  if (bytes < 2 ** 20) return `${(bytes / 2 ** 10).toFixed(1)} KiB`;
  if (bytes < 2 ** 30) return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
  return `${(bytes / 2 ** 30).toFixed(2)} GiB`;
}

/**
 * The number of bytes in `text`: digits and a unit (`KiB`, `MB`, `g`, ...; all are powers of 1024).
 *
 * @throws UserError (usage) naming `name`, the option or variable that held the text.
 */
export function parseBytes(text: string, name: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?$/i.exec(text.trim());
  const bytes = match ? Math.floor(Number(match[1]) * UNITS[match[2].toLowerCase()]) : NaN;
  if (!Number.isSafeInteger(bytes)) {
    throw usageError(`Cannot read ${name}: "${text}" is not a size such as 512MiB`);
  }
  return bytes;
}

/** The size in environment variable `name`, or undefined when it is not set. */
export function bytesFromEnv(name: string): number | undefined {
  const text = Deno.env.get(name);
  return text ? parseBytes(text, name) : undefined;
}
