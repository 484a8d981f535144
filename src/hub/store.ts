/**
 * The folder of pulled models, `$XDG_CACHE_HOME/zinc/models`: one folder per model with its files and, once all of
 * them are there and verified, a `model.json` that says what they are. A folder without it is an unfinished pull.
 */
import { join } from "node:path";
import { cacheDirectory } from "../common/cache_directory.ts";
import { UserError } from "../common/errors.ts";

/** A model in the store, as `model.json` describes it. */
export interface StoredModel {
  /** What `-m` takes. */
  readonly name: string;
  /** Where it came from, in words. */
  readonly source: string;
  /** Its files in the order of their parts. */
  readonly files: readonly StoredFile[];
}

/** One file of a stored model. */
export interface StoredFile {
  /** Name inside the model's folder. */
  readonly name: string;
  /** Size. */
  readonly bytes: number;
  /** SHA-256, lower-case hex. */
  readonly sha256: string;
}

const MANIFEST = "model.json";

/** Pulled models below one folder. */
export class ModelStore {
  /** The folder. */
  readonly directory: string;

  /** Opens the store in `directory`, by default in zinc's cache folder. Nothing is created yet. */
  constructor(directory: string = join(cacheDirectory(), "models")) {
    this.directory = directory;
  }

  /** Folder of the model `name`, whether it is there or not. */
  folder(name: string): string {
    // No separators, and no leading dot: a name must not lead out of the store.
    return join(this.directory, name.replaceAll(/[^\w.-]+/g, "--").replace(/^(\.+|$)/, "_"));
  }

  /** The stored model of that name. One whose files are not as its manifest says is not there. */
  find(name: string): StoredModel | undefined {
    const folder = this.folder(name);
    try {
      const model: unknown = JSON.parse(Deno.readTextFileSync(join(folder, MANIFEST)));
      return isStoredModel(model) && model.files.every((file) => isComplete(folder, file))
        ? model
        : undefined;
    } catch {
      return undefined;
    }
  }

  /** Path of the first file of a stored model: what the loader opens. */
  path(model: StoredModel): string {
    return join(this.folder(model.name), model.files[0].name);
  }

  /** All complete models by name. */
  list(): StoredModel[] {
    let folders: string[];
    try {
      folders = Array.from(Deno.readDirSync(this.directory), (entry) => entry.name);
    } catch {
      return [];
    }
    return folders.map((folder) => this.find(folder)).filter((model) => model !== undefined)
      .sort((a, b) => a.name < b.name ? -1 : 1);
  }

  /** Publishes a model whose files are in its folder. */
  add(model: StoredModel): void {
    const path = join(this.folder(model.name), MANIFEST);
    Deno.writeTextFileSync(`${path}.${Deno.pid}`, JSON.stringify(model, null, 2) + "\n");
    Deno.renameSync(`${path}.${Deno.pid}`, path);
  }

  /** Deletes a model, or what an unfinished pull left of it. Throws {@linkcode UserError} when there is nothing. */
  remove(name: string): void {
    try {
      Deno.removeSync(this.folder(name), { recursive: true });
    } catch (cause) {
      if (!(cause instanceof Deno.errors.NotFound)) throw cause;
      throw new UserError(
        `Cannot remove "${name}": no such model in ${this.directory}; zinc list shows what is there`,
      );
    }
  }
}

/** Whether a manifest that anybody may have edited says all that it must. */
function isStoredModel(value: unknown): value is StoredModel {
  const model = value as StoredModel | null;
  return typeof model?.name === "string" && typeof model.source === "string" && Array.isArray(model.files) &&
    model.files.length > 0;
}

/** Whether a file is there in full; its content was verified when it was pulled. Throws when it is missing. */
function isComplete(folder: string, { name, bytes }: StoredFile): boolean {
  return !/[\\/]/.test(name) && Deno.statSync(join(folder, name)).size === bytes;
}
