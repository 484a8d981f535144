/**
 * Where zinc keeps what it can fetch or compute again: models, pipeline caches, its own runtime.
 *
 * `$XDG_CACHE_HOME/zinc` as the XDG base directory specification says, `%LOCALAPPDATA%\zinc` on Windows. The home
 * folder is looked up in the user database when HOME is unset.
 */
import { homedir } from "node:os";
import { join } from "node:path";
import { UserError } from "./errors.ts";

/** Absolute path of zinc's cache folder, which need not exist yet. Throws {@linkcode UserError} when there is none. */
export function cacheDirectory(): string {
  const base = Deno.env.get("XDG_CACHE_HOME") || Deno.env.get("LOCALAPPDATA");
  if (base) return join(base, "zinc");
  const home = Deno.env.get("HOME") || homedir();
  if (!home) throw new UserError("Cannot find a cache folder: set XDG_CACHE_HOME or HOME");
  return join(home, ".cache", "zinc");
}
