/**
 * Real models for tests that need one. They are never in the repository: `zinc pull` puts them into the cache under
 * the file names of tests/golden/real/README.md.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { cacheDirectory } from "../../src/common/cache_directory.ts";

/** Path of the model file of that name in `$ZINC_MODELS` or the cache; undefined where it is absent. */
export function realModel(fileName: string): string | undefined {
  const folders = [Deno.env.get("ZINC_MODELS"), ...storedModels()].filter((folder) => folder !== undefined);
  return folders.map((folder) => join(folder, fileName)).find((path) => existsSync(path));
}

/** `ignore` and a suffix for the name of a test that needs the model, as the test runner prints it. */
export function needsModel(fileName: string): { path: string; ignore: boolean; note: string } {
  const path = realModel(fileName);
  return { path: path ?? "", ignore: path === undefined, note: path ? "" : ` (needs ${fileName})` };
}

/** The folders of pulled models, one per model. */
function storedModels(): string[] {
  try {
    const models = join(cacheDirectory(), "models");
    return readdirSync(models).map((name) => join(models, name));
  } catch {
    return []; // nothing was pulled yet
  }
}
