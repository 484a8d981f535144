/** From what `-m` says to the path of a GGUF file, pulling the model when it is not there yet. */
import { UserError } from "../common/errors.ts";
import { DEFAULT_MODEL, findKnownModel, KNOWN_MODELS } from "../hub/known_models.ts";
import { asUrl, parseRepoReference, storedName } from "../hub/reference.ts";
import { ModelStore, type StoredModel } from "../hub/store.ts";
import { withInterrupt } from "./interrupt.ts";
import { nearest } from "./nearest.ts";
import { notice } from "./output.ts";
import { Progress } from "./progress.ts";

/** Path of the model that `reference` (a path, a name, `org/repo[:quant]` or a URL) means. */
export async function findModelFile(reference: string = DEFAULT_MODEL): Promise<string> {
  if (looksLikePath(reference)) return reference;
  const store = new ModelStore();
  const stored = store.find(storedName(reference));
  if (stored) return store.path(stored);
  if (findKnownModel(reference) || parseRepoReference(reference) || asUrl(reference)) {
    return store.path(await pullWithProgress(store, reference));
  }
  const near = nearest(reference, [...KNOWN_MODELS, ...store.list()].map((model) => model.name));
  const hint = near ? `did you mean ${near}?` : "zinc list shows the names";
  throw new UserError(`Cannot find model "${reference}": neither a file nor a known name; ${hint}`);
}

/** Pulls a model with a progress bar; Ctrl+C keeps what has arrived. */
export async function pullWithProgress(store: ModelStore, reference: string): Promise<StoredModel> {
  const { pullModel } = await import("../hub/pull.ts");
  using progress = await Progress.open();
  return await withInterrupt((signal) =>
    pullModel(store, reference, {
      signal,
      onNotice: notice,
      onProgress: (file, done, total) => progress.update(file, done, total),
    })
  );
}

/** A file that is there, or a name that nothing but a file can have: the loader then says what is wrong with it. */
function looksLikePath(reference: string): boolean {
  if (asUrl(reference)) return false;
  if (/^[./~]|\\|\.gguf$/i.test(reference)) return true;
  try {
    // A folder that happens to be called like a model is not meant.
    return !Deno.statSync(reference).isDirectory || !findKnownModel(reference);
  } catch {
    return false;
  }
}
