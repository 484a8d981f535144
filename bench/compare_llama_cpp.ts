/**
 * Measures zinc and llama.cpp on the same files, one after the other in one run, and prints both and their ratio.
 *
 *   deno task bench --peer "llama-bench -ngl 99 -fa 1" -m a.gguf,b.gguf -p 512 -n 128 -d 0 -r 5
 *
 * `--peer` is the command that starts llama-bench, with its own options. Its Vulkan backend passes over software
 * devices unless `GGML_VK_VISIBLE_DEVICES=0` is set.
 */
import { parseArgs } from "node:util";
import { usageError, UserError } from "../src/common/errors.ts";
import { runTool } from "../tools/run_tool.ts";

/** The fields of a result row that both programs share. */
interface Row {
  readonly n_prompt: number;
  readonly n_gen: number;
  readonly n_depth: number;
  readonly avg_ts: number;
  readonly stddev_ts: number;
}

const USAGE =
  `usage: compare_llama_cpp.ts --peer COMMAND -m FILE[,FILE...] [-p N,...] [-n N,...] [-d N,...] [-r N]
  --peer  what starts llama-bench, with its own options: "llama-bench -ngl 99 -fa 1"
  the others as those of llama-bench and zinc bench`;

const ZINC = new URL("../main.ts", import.meta.url).pathname;

async function rowsOf(command: string[], env: Record<string, string> = {}): Promise<Row[]> {
  const [program, ...args] = command;
  const { success, stdout } = await new Deno.Command(program, { args, env, stderr: "inherit" }).output();
  if (!success) throw new UserError(`Cannot compare: "${command.join(" ")}" failed`);
  return JSON.parse(new TextDecoder().decode(stdout));
}

function testName({ n_prompt, n_gen, n_depth }: Row): string {
  const what = n_gen > 0 ? `tg${n_gen}` : `pp${n_prompt}`;
  return n_depth > 0 ? `${what} @ d${n_depth}` : what;
}

async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      peer: { type: "string" },
      model: { type: "string", short: "m" },
      "n-prompt": { type: "string", short: "p", default: "512" },
      "n-gen": { type: "string", short: "n", default: "128" },
      depth: { type: "string", short: "d", default: "0" },
      repetitions: { type: "string", short: "r", default: "5" },
    },
  });
  if (!values.model || !values.peer) throw usageError(USAGE);
  console.log("| model | test | zinc t/s | llama.cpp t/s | ratio |\n|---|---|---:|---:|---:|");
  for (const model of values.model.split(",")) {
    const flags = ["-m", model, "-p", values["n-prompt"], "-n", values["n-gen"], "-d", values.depth];
    const tests = [...flags, "-r", values.repetitions, "-o", "json"];
    const peers = await rowsOf([...values.peer.split(" "), ...tests]);
    for (const row of await rowsOf([Deno.execPath(), "run", "-A", ZINC, "bench", ...tests])) {
      const peer = peers.find((other) => testName(other) === testName(row));
      const speed = (r: Row | undefined) => r ? `${r.avg_ts.toFixed(1)} ± ${r.stddev_ts.toFixed(1)}` : "-";
      const ratio = peer ? (row.avg_ts / peer.avg_ts).toFixed(2) : "-";
      const name = model.split("/").at(-1);
      console.log(`| ${name} | ${testName(row)} | ${speed(row)} | ${speed(peer)} | ${ratio} |`);
    }
  }
}

if (import.meta.main) await runTool(run, USAGE);
