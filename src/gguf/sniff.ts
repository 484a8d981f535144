/**
 * What to tell a person who hands over something that is not a readable GGUF file. Users give engines folders, web
 * pages saved under a model's name, Git LFS pointers and other formats; each deserves its own advice.
 */
import { cannotRead } from "./errors.ts";
import { readAt } from "./positioned_read.ts";

/** Bytes that are looked at. */
const SNIFF_BYTES = 512;

/** Opens a regular file whose first four bytes are "GGUF". Throws `UserError` that says what is there instead. */
export function openChecked(path: string): { file: Deno.FsFile; size: number } {
  const stat = explained(path, () => Deno.statSync(path));
  // Checked before opening: opening a pipe would wait for a writer.
  if (stat.isDirectory) throw cannotRead(path, "it is a directory; name a .gguf file in it");
  if (!stat.isFile) throw cannotRead(path, "it is a pipe or a device; a model must be a regular file");
  const file = explained(path, () => Deno.openSync(path, { read: true }));
  try {
    const start = new Uint8Array(SNIFF_BYTES);
    const problem = whyNotGguf(start.subarray(0, readAt(file, path, 0, start)));
    if (problem) throw cannotRead(path, problem);
    return { file, size: stat.size };
  } catch (error) {
    file.close();
    throw error;
  }
}

/** Why a file that starts with these bytes cannot be GGUF; undefined where it may be. */
export function whyNotGguf(start: Uint8Array): string | undefined {
  if (start.length === 0) return "the file is empty; download it again";
  const text = Array.from(start, (byte) => String.fromCharCode(byte)).join("");
  if (text.startsWith("GGUF")) return undefined;
  if ("GGUF".startsWith(text)) return `the file ends after ${start.length} bytes; download it again`;
  if (text.startsWith("version https://git-lfs")) {
    return "it is a Git LFS pointer, not the model itself; fetch the model with `git lfs pull`";
  }
  if (/^\s*<(!doctype|html|\?xml)/i.test(text)) {
    return "it is a web page, not a model; use the link of the file itself";
  }
  if (text.startsWith("PK")) return "it is a zip archive (or a PyTorch checkpoint), not a GGUF file";
  if (text.startsWith("\x1f\x8b")) return "it is gzip-compressed; unpack it first";
  if (/^[\s\S]{8}\{/.test(text) && /^[\s\S]{4}\0{4}/.test(text)) {
    return "it is a safetensors file; convert it to GGUF first";
  }
  if (/^(lmgg|fmgg|tjgg|algg)/.test(text)) {
    return "it is a GGML file from before GGUF; convert the model again";
  }
  if (text.startsWith("FUGG")) return "its bytes are in reverse order; zinc reads little-endian GGUF";
  if (/^[\t\n\r\x20-\x7e\x80-\xff]*$/.test(text)) return "it is a text file, not a GGUF file";
  const hex = Array.from(start.subarray(0, 4), (byte) => byte.toString(16).padStart(2, "0")).join(" ");
  return `it is not a GGUF file: it starts with the bytes ${hex}`;
}

function explained<T>(path: string, action: () => T): T {
  try {
    return action();
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) throw cannotRead(path, "there is no such file", { cause });
    if (cause instanceof Deno.errors.PermissionDenied) throw cannotRead(path, "permission denied", { cause });
    throw cannotRead(path, cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
