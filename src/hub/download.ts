/**
 * Downloads one file over HTTP so that an interruption costs nothing: bytes go to `PATH.partial`, the next attempt
 * asks for the rest (RFC 9110, range requests, with `If-Range` so that a file that changed is fetched anew), and only
 * a file with the right length and SHA-256 gets its final name.
 */
import { createHash, type Hash } from "node:crypto";
import { UserError } from "../common/errors.ts";

/** Called with the bytes that are there and the bytes expected (undefined: unknown). */
export type Progress = (done: number, total: number | undefined) => void;

/** Options of {@linkcode download}. */
export interface DownloadOptions {
  /** Final path. */
  readonly path: string;
  /** Expected digest, lower-case hex. */
  readonly sha256?: string;
  /** Expected length. */
  readonly bytes?: number;
  /** Request headers, for authorization. */
  readonly headers?: Record<string, string>;
  /** What to do when the server denies access; by default, to download the file by hand. */
  readonly whenDenied?: string;
  /** Stops the download; the partial file stays for the next attempt. */
  readonly signal?: AbortSignal;
  /** Told about every chunk. */
  readonly onProgress?: Progress;
  /** Attempts that bring no new bytes before giving up, default 4. */
  readonly attempts?: number;
  /** Time without a byte after which the connection counts as lost, milliseconds, default 30,000. */
  readonly idleMs?: number;
}

/** The server's answer was final: trying again would not help. */
class Refused extends UserError {}

const RETRY_MS = 500;
const HASH_CHUNK_BYTES = 1 << 20;

/**
 * Fetches `url` into `options.path`, resuming what an earlier attempt left. Returns the SHA-256 of the file.
 *
 * Throws {@linkcode UserError} when the server refuses, the connection keeps breaking, or the content is wrong.
 */
export async function download(url: string, options: DownloadOptions): Promise<string> {
  const partial = new PartialFile(options.path);
  let attemptsLeft = options.attempts ?? 4;
  for (let failures = 0;; failures++) {
    const before = await partial.size();
    try {
      await fetchRest(url, partial, options);
      return await finish(partial, url, options);
    } catch (error) {
      options.signal?.throwIfAborted();
      if (error instanceof Refused) throw error;
      if (await partial.size() > before) failures = 0;
      else attemptsLeft--;
      if (attemptsLeft <= 0) {
        const hint = await partial.size() > 0
          ? " (what has arrived is kept; try again to go on)"
          : "; try again";
        throw cannot(url, describe(error) + hint, error);
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS * 2 ** failures));
    }
  }
}

/** The bytes so far and the validator (`ETag`) of what they belong to. */
class PartialFile {
  readonly finalPath: string;
  readonly path: string;
  readonly #tagPath: string;

  constructor(finalPath: string) {
    this.finalPath = finalPath;
    this.path = `${finalPath}.partial`;
    this.#tagPath = `${finalPath}.partial.etag`;
  }

  async size(): Promise<number> {
    try {
      return (await Deno.stat(this.path)).size;
    } catch {
      return 0;
    }
  }

  async tag(): Promise<string | undefined> {
    try {
      return await Deno.readTextFile(this.#tagPath);
    } catch {
      return undefined;
    }
  }

  async setTag(tag: string | null): Promise<void> {
    if (tag && !tag.startsWith("W/")) await Deno.writeTextFile(this.#tagPath, tag);
    else await this.#remove(this.#tagPath);
  }

  async discard(): Promise<void> {
    await this.#remove(this.path);
    await this.#remove(this.#tagPath);
  }

  async publish(): Promise<void> {
    await Deno.rename(this.path, this.finalPath);
    await this.#remove(this.#tagPath);
  }

  async #remove(path: string): Promise<void> {
    await Deno.remove(path).catch(() => {});
  }
}

async function fetchRest(url: string, partial: PartialFile, options: DownloadOptions): Promise<void> {
  const have = await partial.size();
  const tag = await partial.tag();
  // Without a validator the old bytes can only be trusted when the digest will be checked at the end.
  const resume = have > 0 && (tag !== undefined || options.sha256 !== undefined);
  if (resume && have === options.bytes) return;
  const idle = new IdleTimer(options.idleMs ?? 30_000);
  try {
    const headers: Record<string, string> = { ...options.headers };
    if (resume) {
      headers.range = `bytes=${have}-`;
      if (tag) headers["if-range"] = tag;
    }
    const signals = [idle.signal, ...(options.signal ? [options.signal] : [])];
    const response = await fetch(url, { headers, signal: AbortSignal.any(signals) });
    if (response.status === 401 || response.status === 403) await denied(url, response, options.whenDenied);
    const start = await startOffset(url, response, have, partial);
    if (start === undefined) return;
    await partial.setTag(response.headers.get("etag"));
    const length = Number(response.headers.get("content-length") ?? NaN);
    const total = options.bytes ?? (Number.isFinite(length) ? start + length : undefined);
    await append(response, partial.path, start, (done) => {
      idle.restart();
      options.onProgress?.(done, total);
    });
    const size = await partial.size();
    if (total !== undefined && size < total) {
      throw new Error(`connection closed after ${size} of ${total} bytes`);
    }
  } finally {
    idle.stop();
  }
}

/** Where the body of `response` belongs in the file; undefined when the file is complete already. */
async function startOffset(url: string, response: Response, have: number, partial: PartialFile) {
  if (response.status === 206) {
    const range = /^bytes (\d+)-/.exec(response.headers.get("content-range") ?? "");
    if (range && Number(range[1]) === have) return have;
    await response.body?.cancel();
    await partial.discard();
    throw new Error("the server answered with another part of the file");
  }
  if (response.ok) return 0;
  await response.body?.cancel();
  if (response.status === 416) {
    const size = /^bytes \*\/(\d+)$/.exec(response.headers.get("content-range") ?? "");
    if (size && Number(size[1]) === have) return undefined;
    await partial.discard();
    throw new Error("the file on the server has changed");
  }
  const { status, statusText } = response;
  const answer = `the server answered ${status} ${statusText}`.trim();
  if (status >= 500 || status === 408 || status === 429) throw new Error(answer);
  throw new Refused(cannot(url, answer).message);
}

async function denied(
  url: string,
  response: Response,
  hint = "download it another way, and pass the file with -m",
): Promise<never> {
  await response.body?.cancel();
  throw new Refused(cannot(url, `access denied (${response.status}); ${hint}`).message);
}

async function append(
  response: Response,
  path: string,
  start: number,
  onBytes: (done: number) => void,
): Promise<void> {
  using file = await Deno.open(path, { create: true, write: true });
  await file.truncate(start);
  await file.seek(start, Deno.SeekMode.Start);
  let done = start;
  for await (const chunk of response.body ?? []) {
    for (let rest = chunk; rest.length > 0;) rest = rest.subarray(await file.write(rest));
    done += chunk.length;
    onBytes(done);
  }
}

async function finish(partial: PartialFile, url: string, options: DownloadOptions): Promise<string> {
  const size = await partial.size();
  const digest = await sha256OfFile(partial.path);
  const problem = options.bytes !== undefined && size !== options.bytes
    ? `expected ${options.bytes} bytes, got ${size}`
    : options.sha256 !== undefined && digest !== options.sha256
    ? `its SHA-256 is ${digest}, expected ${options.sha256}`
    : undefined;
  if (problem) {
    await partial.discard();
    throw new Refused(cannot(url, `${problem}; the download was discarded, try again`).message);
  }
  await partial.publish();
  return digest;
}

/** SHA-256 of a file, lower-case hex. */
export async function sha256OfFile(path: string): Promise<string> {
  const hash: Hash = createHash("sha256");
  using file = await Deno.open(path);
  const chunk = new Uint8Array(HASH_CHUNK_BYTES);
  for (let count; (count = await file.read(chunk)) !== null;) hash.update(chunk.subarray(0, count));
  return hash.digest("hex");
}

/** Aborts its signal when nothing happens for a while. */
class IdleTimer {
  readonly #controller = new AbortController();
  readonly #ms: number;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number) {
    this.#ms = ms;
    this.restart();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  restart(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => this.#controller.abort(new Error(`no data for ${this.#ms / 1000} s`)),
      this.#ms,
    );
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

function cannot(url: string, reason: string, cause?: unknown): UserError {
  return new UserError(`Cannot download ${url}: ${reason}`, { cause });
}

/** What a failed fetch was about: its innermost cause says it best. */
function describe(error: unknown): string {
  let inner = error as Error;
  while (inner.cause instanceof Error) inner = inner.cause;
  return inner.message;
}
