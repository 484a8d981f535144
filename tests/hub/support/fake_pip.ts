/** A `python3` on PATH whose pip knows exactly the wheels that a test gives it. */
import { TempDirectory } from "../../support/temp.ts";

// Finds the folder behind -d and copies the wheel of the last argument there.
const SCRIPT = `#!/bin/sh
for argument; do
  case $before in -d) folder=$argument ;; esac
  before=$argument
done
case $3 in --version) exit 0 ;; esac
wheel=$(dirname "$0")/$argument.whl
if [ ! -e "$wheel" ]; then
  echo "noise" >&2
  echo "ERROR: No matching distribution found for $argument" >&2
  exit 1
fi
cp "$wheel" "$folder/"
`;

/** Installs the fake with `wheels` (package name: wheel file); returns the PATH to use and the folder to dispose. */
export function fakePip(wheels: Record<string, Uint8Array>): { path: string; directory: TempDirectory } {
  const directory = new TempDirectory();
  Deno.writeTextFileSync(directory.join("python3"), SCRIPT, { mode: 0o755 });
  for (const [name, content] of Object.entries(wheels)) {
    Deno.writeFileSync(directory.join(`${name}.whl`), content);
  }
  return { path: `${directory.path}:${Deno.env.get("PATH")}`, directory };
}
