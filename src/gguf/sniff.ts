/**
 * What to tell a person who hands over something that is not a readable GGUF file. Users give engines folders, web
 * pages saved under a model's name, Git LFS pointers and other formats; each deserves its own advice.
 */
import { UserError } from "../common/errors.ts";
import { quoted } from "./printable.ts";

/** Bytes that are looked at. */
const SNIFF_BYTES = 512;

/** Opens a regular file whose first four bytes are "GGUF". Throws `UserError` that says what is there instead. */
export function openChecked(path: string): { file: Deno.FsFile; size: number } {
  const cannot = `Cannot read ${quoted(path, 4096)}:`;
  const stat = explained(cannot, () => Deno.statSync(path));
  // Checked before opening: opening a pipe would wait for a writer.
  if (stat.isDirectory) throw new UserError(`${cannot} it is a directory; name a .gguf file in it`);
  if (!stat.isFile) throw new UserError(`${cannot} it is a pipe or a device; a model must be a regular file`);
  const file = explained(cannot, () => Deno.openSync(path, { read: true }));
  try {
    const start = new Uint8Array(Math.min(SNIFF_BYTES, stat.size));
    let filled = 0;
    while (filled < start.length) {
      const count = file.readSync(start.subarray(filled));
      if (count === null) break;
      filled += count;
    }
    file.seekSync(0, Deno.SeekMode.Start);
    const problem = whyNotGguf(start.subarray(0, filled));
    if (problem) throw new UserError(`${cannot} ${problem}`);
    return { file, size: stat.size };
  } catch (error) {
    file.close();
    throw error;
  }
}

/** Why a file that starts with these bytes cannot be GGUF; undefined where it may be. */
export function whyNotGguf(start: Uint8Array): string | undefined {
  if (start.length === 0) return "the file is empty; download it again";
  const text = String.fromCharCode(...start);
  if (text.startsWith("GGUF")) return undefined;
  if (text.startsWith("version https://git-lfs")) {
    return "it is a Git LFS pointer, not the model itself; fetch the model with `git lfs pull`";
  }
  if (/^\s*<(!doctype|html|\?xml)/i.test(text)) {
    return "it is a web page, not a model; use the link of the file itself";
  }
  if (text.startsWith("PK")) return "it is a zip archive (or a PyTorch checkpoint), not a GGUF file";
  if (text.startsWith("\x1f\x8b")) return "it is gzip-compressed; unpack it first";
  if (/^[\s\S]{4}\0\0\0\0\{/.test(text)) return "it is a safetensors file; convert it to GGUF first";
  if (/^(lmgg|fmgg|tjgg|algg)/.test(text)) {
    return "it is a GGML file from before GGUF; convert the model again";
  }
  if (text.startsWith("FUGG")) return "its bytes are in reverse order; zinc reads little-endian GGUF";
  if ("GGUF".startsWith(text)) return `the file ends after ${start.length} bytes; download it again`;
  if (/^[\t\n\r\x20-\x7e\x80-\xff]*$/.test(text)) return "it is a text file, not a GGUF file";
  const hex = [...start.subarray(0, 4)].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
  return `it is not a GGUF file: it starts with the bytes ${hex}`;
}

function explained<T>(cannot: string, action: () => T): T {
  try {
    return action();
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) {
      throw new UserError(`${cannot} there is no such file`, { cause });
    }
    if (cause instanceof Deno.errors.PermissionDenied) {
      throw new UserError(`${cannot} permission denied`, { cause });
    }
    throw new UserError(`${cannot} ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}
