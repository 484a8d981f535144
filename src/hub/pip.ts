/** Finds pip, Python's package installer, under the names it goes by. */
import { UserError } from "../common/errors.ts";

const CANDIDATES = [["python3", "-m", "pip"], ["python", "-m", "pip"], ["pip3"], ["pip"], [
  "py",
  "-m",
  "pip",
]];

/** The command line that starts pip. Throws {@linkcode UserError} when there is none and none can be installed. */
export async function findPip(): Promise<readonly string[]> {
  for (const candidate of CANDIDATES) {
    if (await succeeds(candidate, "--version")) return candidate;
  }
  // The zinc script knows how to install packages of the system; the single executable leaves that to the person.
  const script = Deno.env.get("ZINC_SCRIPT");
  if (script && await succeeds([script], "install-pip") && await succeeds(CANDIDATES[0], "--version")) {
    return CANDIDATES[0];
  }
  throw new UserError("Cannot find pip: install python3 with pip");
}

async function succeeds(command: readonly string[], argument: string): Promise<boolean> {
  try {
    const [program, ...args] = command;
    const child = new Deno.Command(program, {
      args: [...args, argument],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    });
    return (await child.output()).success;
  } catch {
    return false;
  }
}
