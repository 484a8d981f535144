/**
 * Finds GGUF files on the Hugging Face hub (or on the server in `HF_ENDPOINT`). `HF_TOKEN` opens gated and private
 * repositories.
 */
import { type ListFileEntry, listFiles, pathsInfo } from "@huggingface/hub";
import { UserError } from "../common/errors.ts";
import type { HubSource } from "./known_models.ts";
import type { RepoReference } from "./reference.ts";

/** A file that can be downloaded. */
export interface RemoteFile {
  /** Where it is. */
  readonly url: string;
  /** Its name without folders. */
  readonly name: string;
  /** Its size. */
  readonly bytes?: number;
  /** Its SHA-256, for files in large-file storage. */
  readonly sha256?: string;
  /** Headers that the request needs. */
  readonly headers: Record<string, string>;
  /** What to do when the server denies access. */
  readonly whenDenied?: string;
}

const ANSWER_MS = 10_000;

// Which file to take when no quantization is named: what most people run first.
const PREFERRED_QUANTS = ["Q4_K_M", "Q4_K_S", "Q4_0", "Q4_1", "Q5_K_M", "Q6_K", "Q8_0", "F16", "BF16", "F32"];

/** Base address of the hub, without a slash at the end. */
export function hubEndpoint(): string {
  return (Deno.env.get("HF_ENDPOINT") || "https://huggingface.co").replace(/\/+$/, "");
}

/** The one file of a known model. Throws {@linkcode UserError} when there is none, or no answer. */
export async function locateFile(source: HubSource): Promise<RemoteFile> {
  const { repo, revision = "main", file } = source;
  const [info] = await ask(repo, () => pathsInfo({ ...access(repo), revision, paths: [file] }));
  if (!info) throw new UserError(`Cannot find "${file}" in ${repo} on ${hubEndpoint()}`);
  return remoteFile(repo, revision, info);
}

/** The GGUF files of `org/repo[:quant]`, all parts of a split model in order. */
export async function locateModel({ repo, quant }: RepoReference): Promise<RemoteFile[]> {
  const files = await ask(repo, async () => {
    const entries: ListFileEntry[] = [];
    for await (const entry of listFiles({ ...access(repo), recursive: true })) entries.push(entry);
    return entries;
  });
  const paths = choosePaths(files.map((file) => file.path), { repo, quant });
  return paths.map((path) => remoteFile(repo, "main", files.find((file) => file.path === path)!));
}

/** Chooses among the paths of a repository; exported for tests. Throws {@linkcode UserError} naming what there is. */
export function choosePaths(paths: readonly string[], { repo, quant }: RepoReference): string[] {
  const models = paths.filter((path) => /\.gguf$/i.test(path) && !/mmproj/i.test(path)).sort();
  if (models.length === 0) throw new UserError(`Cannot pull ${repo}: it has no GGUF file`);
  const wanted = quant ? [quant] : PREFERRED_QUANTS;
  for (const name of wanted) {
    const matches = models.filter((path) => hasQuant(path, name));
    if (matches.length > 0) return withParts(matches[0], models);
  }
  if (!quant) return withParts(models[0], models);
  throw new UserError(
    `Cannot pull ${repo}:${quant}: it has ${models.map((path) => path.split("/").at(-1)).join(", ")}`,
  );
}

function hasQuant(path: string, quant: string): boolean {
  const escaped = quant.replace(/[.]/g, "\\.");
  return new RegExp(`(?:^|[-._/])${escaped}(?:[-._/]|$)`, "i").test(path);
}

/** A split model (`-00001-of-00003.gguf`) is all of its parts. */
function withParts(path: string, all: readonly string[]): string[] {
  const split = /^(.*)-\d{5}-of-(\d{5}\.gguf)$/.exec(path);
  if (!split) return [path];
  return all.filter((other) => other.startsWith(`${split[1]}-`) && other.endsWith(`-of-${split[2]}`));
}

function access(repo: string) {
  return { repo, accessToken: hubToken(), hubUrl: hubEndpoint(), fetch: impatientFetch };
}

/** The library waits for ever; a hub that does not answer within seconds counts as unreachable. */
function impatientFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  return fetch(input, { ...init, signal: AbortSignal.timeout(ANSWER_MS) });
}

async function ask<T>(repo: string, question: () => Promise<T>): Promise<T> {
  try {
    return await question();
  } catch (cause) {
    const status = (cause as { statusCode?: number }).statusCode;
    const where = `${repo} on ${hubEndpoint()}`;
    if (status === 401 || status === 403) {
      // Without a token, the hub gives the same answer for what does not exist.
      const reason = hubToken() || status === 403
        ? "access denied"
        : "access denied, or there is none of that name";
      throw new UserError(`Cannot read ${where}: ${reason}; ${whenDenied(repo)}`, { cause });
    }
    if (status === 404) throw new UserError(`Cannot find ${where}`, { cause });
    throw new UserError(`Cannot reach ${hubEndpoint()}: ${(cause as Error).message}`, { cause });
  }
}

/** What opens a private or gated repository. */
function whenDenied(repo: string): string {
  const page = `${hubEndpoint()}/${repo}`;
  const tokens = `${hubEndpoint()}/settings/tokens`;
  return hubToken()
    ? `accept its terms on ${page}, and see on ${tokens} that the token in HF_TOKEN is valid and may read gated repositories`
    : `accept its terms on ${page}, and set HF_TOKEN to a token from ${tokens} that may read it`;
}

function hubToken(): string | undefined {
  return Deno.env.get("HF_TOKEN") || undefined;
}

function remoteFile(
  repo: string,
  revision: string,
  info: { path: string; size: number; lfs?: { oid: string } },
): RemoteFile {
  const token = hubToken();
  const path = info.path.split("/").map(encodeURIComponent).join("/");
  return {
    url: `${hubEndpoint()}/${repo}/resolve/${revision}/${path}`,
    name: info.path.split("/").at(-1)!,
    bytes: info.size,
    sha256: info.lfs?.oid,
    headers: token ? { authorization: `Bearer ${token}` } : {},
    whenDenied: whenDenied(repo),
  };
}
