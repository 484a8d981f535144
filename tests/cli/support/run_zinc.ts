/** Runs the program from source as a user would, with a cache folder of its own. */
import { fileURLToPath } from "node:url";

/** How it ended. */
export interface Outcome {
  /** Exit code. */
  readonly code: number;
  /** Standard output. */
  readonly stdout: string;
  /** Standard error. */
  readonly stderr: string;
}

/** Options of {@linkcode runZinc}. */
export interface RunOptions {
  /** Piped in; nothing by default. */
  readonly stdin?: string;
  /** Environment besides the usual one. */
  readonly env?: Record<string, string>;
  /** Working folder. */
  readonly cwd?: string;
}

const MAIN = fileURLToPath(new URL("../../../main.ts", import.meta.url));

/** Runs `zinc` with `args` to its end. */
export async function runZinc(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", MAIN, ...args],
    env: { HF_ENDPOINT: "http://127.0.0.1:9", ...options.env },
    cwd: options.cwd,
    stdin: options.stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  if (options.stdin !== undefined) {
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(options.stdin));
    await writer.close();
  }
  const { code, stdout, stderr } = await child.output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}
