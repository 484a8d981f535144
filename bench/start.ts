/**
 * How long a program that has just been started takes to the first text of its reply, and to its end.
 *
 *   deno run -A bench/start.ts -m model.gguf --runs 5
 *
 * `zinc run` answers a prompt in a process of its own, with a cache folder that is empty at first: the first run compiles
 * pipelines, asks for what is only asked for once (and, of an executable, unpacks it), unless the driver keeps pipelines
 * elsewhere. It may also have to read a file from the disk that the later ones find in memory. Tokens without text, as
 * control tokens are, count to the first one that has some.
 */
import { parseArgs } from "node:util";
import { table } from "../src/cli/table.ts";
import { usageError, UserError } from "../src/common/errors.ts";
import { runTool, wholeNumber } from "../tools/run_tool.ts";
import { median } from "./rounds.ts";

const USAGE = `usage: start.ts -m FILE [--runs N] [--zinc COMMAND] [--device D] [--json]
  -m        a GGUF file
  --runs    runs behind the first one (default: 5)
  --zinc    what starts zinc, with its own options (default: this repository's main.ts)
  --device  number or part of the name of the device
  --json    every sample, ms from the start of the process`;

const PROMPT = "Tell me about the sea.";
/** More than one, so that the kernels of single tokens are prepared too before the first token is seen, as in any reply. */
const TOKENS = 16;

const ZINC = [Deno.execPath(), "run", "-A", new URL("../main.ts", import.meta.url).pathname];

/** One run, ms from the start of the process. */
interface Sample {
  readonly firstText: number;
  readonly exit: number;
}

async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      model: { type: "string", short: "m" },
      runs: { type: "string", default: "5" },
      zinc: { type: "string" },
      device: { type: "string" },
      json: { type: "boolean" },
    },
  });
  if (!values.model) throw usageError(USAGE);
  const runs = wholeNumber("--runs", values.runs, 1);
  const command = [...values.zinc?.split(" ") ?? ZINC, "run", "-m", values.model];
  if (values.device !== undefined) command.push("--device", values.device);
  // The same tokens each time, and no early end, which random weights may choose.
  command.push("-p", PROMPT, "-n", `${TOKENS}`, "--seed", "1", "--ignore-eos");
  const samples: Sample[] = [];
  const cache = Deno.makeTempDirSync({ prefix: "zinc-start-" });
  try {
    const env = { XDG_CACHE_HOME: cache, DENO_DIR: denoDirectory() };
    while (samples.length <= runs) samples.push(await timeStart(command, env));
  } finally {
    Deno.removeSync(cache, { recursive: true });
  }
  const rows: string[][] = [];
  for (const [cached, part] of [["nothing", samples.slice(0, 1)], ["all", samples.slice(1)]] as const) {
    const firstText = part.map((sample) => sample.firstText);
    const exit = part.map((sample) => sample.exit);
    if (values.json) console.log(JSON.stringify({ cached, first_text_ms: firstText, exit_ms: exit }));
    rows.push([cached, `${part.length}`, median(firstText).toFixed(0), median(exit).toFixed(0)]);
  }
  if (!values.json) console.log(await table(["CACHED", "RUNS", "FIRST TEXT, ms", "EXIT, ms"], rows));
}

/** Where Deno keeps modules: they stay cached, unlike what zinc keeps in the same folder by default. */
function denoDirectory(): string {
  const { stdout } = new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).outputSync();
  return JSON.parse(new TextDecoder().decode(stdout)).denoDir;
}

/**
 * Runs a command to its end.
 *
 * @throws UserError when it fails, with what it said last.
 */
async function timeStart(command: string[], env: Record<string, string>): Promise<Sample> {
  const [program, ...args] = command;
  const start = performance.now();
  const child = spawn(program, { args, env, stdin: "null", stdout: "piped", stderr: "piped" });
  const errors = new Response(child.stderr).text();
  let firstText: number | undefined;
  for await (const _ of child.stdout) firstText ??= performance.now() - start;
  const { success } = await child.status;
  const exit = performance.now() - start;
  if (success && firstText !== undefined) return { firstText, exit };
  throw new UserError(
    `Cannot measure: "${command.join(" ")}" failed: ${(await errors).trim().split("\n").at(-1)}`,
  );
}

function spawn(program: string, options: Deno.CommandOptions): Deno.ChildProcess {
  try {
    return new Deno.Command(program, options).spawn();
  } catch (cause) {
    throw new UserError(`Cannot start "${program}" of --zinc: ${(cause as Error).message}`, { cause });
  }
}

if (import.meta.main) await runTool(run, USAGE);
