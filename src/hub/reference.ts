/** What `-m`, `zinc pull` and `zinc rm` take besides paths: short names, repositories on the hub, and addresses. */
import { findKnownModel } from "./known_models.ts";

/** `org/repo` with an optional `:quant`. */
export interface RepoReference {
  /** `org/repo`. */
  readonly repo: string;
  /** Quantization, as written by the user. */
  readonly quant?: string;
}

/** Reads `org/repo[:quant]`; undefined for anything else. */
export function parseRepoReference(text: string): RepoReference | undefined {
  const match = /^(?:hf:\/\/)?([\w.-]+\/[\w.-]+)(?::([\w.-]+))?$/.exec(text);
  return match ? { repo: match[1], quant: match[2] } : undefined;
}

/** The name under which `reference` (a short name, `org/repo[:quant]` or a URL) is stored. */
export function storedName(reference: string): string {
  const url = asUrl(reference);
  if (!url) return findKnownModel(reference)?.name ?? reference.replace(/^hf:\/\//, "");
  return fileName(url).replace(/\.gguf$/i, "");
}

/** `reference` as an address, if it is one. */
export function asUrl(reference: string): URL | undefined {
  return /^https?:\/\//.test(reference) ? URL.parse(reference) ?? undefined : undefined;
}

/** The last part of an address, as a plain file name. */
export function fileName(url: URL): string {
  return decoded(url.pathname).split(/[\\/]/).at(-1)!.replace(/^\.+/, "") || "model.gguf";
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // a stray percent sign
  }
}
