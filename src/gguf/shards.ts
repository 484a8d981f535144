/**
 * Models split over several files. Part names end in `-00001-of-00003.gguf`, counted from 1, while the key `split.no`
 * counts from 0; `split.tensors.count` is the total of all parts, and only the first part carries the model's metadata
 * (llama_split_path in llama.h, gguf-split in llama.cpp).
 */
import { cannotRead, quotedPath } from "./errors.ts";
import type { Metadata } from "./metadata.ts";

const PART_NAME = /^(.*)-(\d{5})-of-(\d{5})\.gguf$/s;
const MISSING_NAMES_SHOWN = 5;

/** What the keys `split.*` say. */
export interface SplitKeys {
  /** Index of this part, from 0. */
  readonly no: number;
  /** Number of parts. */
  readonly count: number;
  /** Tensors in all parts together, where the file says so. */
  readonly tensors?: number;
}

/** The keys `split.*`; a whole model is part 0 of 1. */
export function splitKeys(metadata: Metadata): SplitKeys {
  const count = metadata.integer("split.count", { min: 0, max: 99999 }, 1);
  if (count <= 1) return { no: 0, count: 1 };
  const no = metadata.integer("split.no", { min: 0, max: count - 1 });
  const tensors = metadata.has("split.tensors.count")
    ? metadata.integer("split.tensors.count", { min: 0, max: 2 ** 31 - 1 })
    : undefined;
  return { no, count, tensors };
}

/**
 * Paths of all parts, given any one of them and its keys. Throws `UserError` where the name does not fit the keys, or
 * parts are missing.
 */
export function partPaths(path: string, keys: SplitKeys): string[] {
  const match = PART_NAME.exec(path);
  if (!match) {
    throw cannotRead(
      path,
      `it is part ${keys.no + 1} of ${keys.count} of a split model, ` +
        `but its name does not end in ${
          quotedPath(partSuffix(keys.no, keys.count))
        }, so that the others cannot be found`,
    );
  }
  const [, stem, number, total] = match;
  if (Number(number) !== keys.no + 1 || Number(total) !== keys.count) {
    throw cannotRead(
      path,
      `by its metadata it is part ${keys.no + 1} of ${keys.count}, ` +
        `by its name part ${Number(number)} of ${Number(total)}; give the parts their original names`,
    );
  }
  const paths = Array.from({ length: keys.count }, (_, i) => stem + partSuffix(i, keys.count));
  const missing = paths.filter((part) => !exists(part));
  if (missing.length > 0) {
    const shown = missing.slice(0, MISSING_NAMES_SHOWN).map((part) => quotedPath(part)).join(", ");
    const more = missing.length - MISSING_NAMES_SHOWN;
    throw cannotRead(
      path,
      `parts of the model are missing: ${shown}${more > 0 ? ` and ${more} more` : ""}`,
    );
  }
  return paths;
}

/** Throws `UserError` unless the file at `path` says that it is part `no` of the same split. */
export function checkPart(path: string, metadata: Metadata, no: number, expected: SplitKeys): void {
  const found = splitKeys(metadata);
  if (found.count === expected.count && found.no === no && found.tensors === expected.tensors) return;
  const describe = (keys: SplitKeys, index: number) =>
    `part ${index + 1} of ${keys.count} with ${keys.tensors ?? "any number of"} tensors in all`;
  throw cannotRead(
    path,
    `it says that it is ${describe(found, found.no)}, ` +
      `expected is ${describe(expected, no)}; the parts do not belong together`,
  );
}

function partSuffix(index: number, count: number): string {
  return `-${String(index + 1).padStart(5, "0")}-of-${String(count).padStart(5, "0")}.gguf`;
}

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}
