/**
 * What a driver's compiler makes of zinc's kernels: a table of every pipeline that the scheduler can choose for a model, with
 * registers, spills, occupancy, instructions and estimated cycles. Nothing runs, so the driver may be one that only compiles
 * (`tools/radv_stats.sh` asks RADV about cards that are not there). Ends with 1 where a pipeline spills or needs scratch memory.
 *
 *   deno run -A tools/shader_stats.ts model.gguf
 *   deno run -A tools/shader_stats.ts qwen3-8b gpt-oss-20b --subgroup 32 --decode
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { table } from "../src/cli/table.ts";
import { toJson } from "../src/common/json.ts";
import { usageError } from "../src/common/errors.ts";
import { CACHE_TYPES } from "../src/kernels/cache_types.ts";
import { openModel } from "../src/models/open_model.ts";
import { chooseAdapter, Instance } from "../src/vulkan/mod.ts";
import { chosenPipelines } from "./shader_stats/chosen_pipelines.ts";
import { CompilerDevice } from "./shader_stats/compiler_device.ts";
import { type Figures, figuresOf } from "./shader_stats/figures.ts";
import { describeModel, writeEmptyModel } from "./synth/model.ts";
import { SHAPES } from "./synth/shapes.ts";
import { runTool, wholeNumber } from "./run_tool.ts";

const USAGE =
  `usage: shader_stats.ts MODEL... [--device D] [--subgroup N] [--context N] [--cache-type T] [--decode] [--json]
  MODEL       a GGUF file, or a shape: ${SHAPES.map((shape) => shape.name).join(" ")}
  --device    number or part of the name of the device
  --subgroup  lanes per subgroup (default: the device's)
  --context   largest context, tokens (default: 4096)
  --cache-type what keys and values are stored as: ${CACHE_TYPES.join(" ")} (default: f16)
  --decode    only what a step of one token uses
  --json      everything that the driver says, one object per pipeline`;

/** One line of the table. */
interface StatsRow {
  readonly kernel: string;
  readonly constants: string;
  readonly decodeDispatches: number;
  readonly figures: Figures;
}

async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      device: { type: "string" },
      subgroup: { type: "string" },
      context: { type: "string" },
      "cache-type": { type: "string" },
      decode: { type: "boolean" },
      json: { type: "boolean" },
    },
  });
  if (positionals.length === 0) throw usageError(USAGE);
  const subgroupSize = values.subgroup === undefined
    ? undefined
    : wholeNumber("--subgroup", values.subgroup, 1);
  const cacheType = CACHE_TYPES.find((type) => type === (values["cache-type"] ?? "f16"));
  if (!cacheType) throw usageError(USAGE);
  const context = wholeNumber("--context", values.context ?? "4096", 1);
  using instance = Instance.create();
  using device = new CompilerDevice(chooseAdapter(instance.adapters(), values.device));
  const { name, driverInfo } = device.info;
  let spilling = 0;
  for (const model of positionals) {
    const rows = statsOf(model, context, device, { subgroupSize, cacheType })
      .filter(({ decodeDispatches }) => !values.decode || decodeDispatches > 0);
    spilling += rows.filter(({ figures }) => figures.spilled > 0 || figures.scratchBytes > 0).length;
    if (values.json) rows.forEach((row) => console.log(toJson({ device: name, model, ...row })));
    else console.log(`${model} on ${name}, ${driverInfo}\n\n${await tableOf(rows)}`);
  }
  if (spilling > 0) console.error(`${spilling} pipelines spill registers or use scratch memory`);
  return spilling > 0 ? 1 : 0;
}

function statsOf(
  model: string,
  context: number,
  device: CompilerDevice,
  options: Parameters<typeof chosenPipelines>[2],
): StatsRow[] {
  return withModelFile(model, (path) => {
    using open = openModel(path, context);
    return chosenPipelines(open, device.device, options).map((chosen) => ({
      kernel: chosen.kernel,
      constants: chosen.constants,
      decodeDispatches: chosen.decodeDispatches,
      figures: figuresOf(device.statistics(chosen.pipeline), device.assembly(chosen.pipeline)),
    }));
  });
}

/** Calls `body` with the path of a model file; a shape becomes a file without weights for as long. */
function withModelFile<T>(model: string, body: (path: string) => T): T {
  if (existsSync(model)) return body(model);
  const shape = SHAPES.find((candidate) => candidate.name === model);
  if (!shape) throw usageError(`"${model}" is neither a file nor a shape\n${USAGE}`);
  const folder = Deno.makeTempDirSync({ prefix: "zinc_shape_" });
  try {
    const path = join(folder, `${model}.gguf`);
    writeEmptyModel(path, describeModel(shape));
    return body(path);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

const COLUMNS: readonly (readonly [title: string, cell: (row: StatsRow) => number | string | undefined])[] = [
  ["KERNEL", ({ kernel }) => kernel],
  ["CONSTANTS", ({ constants }) => constants],
  ["PER TOKEN", ({ decodeDispatches }) => decodeDispatches],
  ["LANES", ({ figures }) => figures.subgroupSize],
  ["REGISTERS", ({ figures }) => figures.registers],
  ["SPILLED", ({ figures }) => figures.spilled],
  ["SCRATCH", ({ figures }) => figures.scratchBytes],
  ["SHARED", ({ figures }) => figures.sharedBytes],
  ["OCCUPANCY", ({ figures }) => figures.occupancy],
  ["INSTRUCTIONS", ({ figures }) => figures.instructions],
  ["LATENCY", ({ figures }) => figures.latency],
  ["INV. THROUGHPUT", ({ figures }) => figures.inverseThroughput],
  ["VALU", ({ figures }) => figures.valu],
  ["LOADS", ({ figures }) => figures.loads],
  ["OF 16 B", ({ figures }) => figures.loads16],
  ["DOT", ({ figures }) => figures.dots],
  ["MATRIX", ({ figures }) => figures.matrices],
];

async function tableOf(rows: readonly StatsRow[]): Promise<string> {
  const cells = rows.map((row) => COLUMNS.map(([, cell]) => String(cell(row) ?? "-")));
  return await table(COLUMNS.map(([title]) => title), cells);
}

if (import.meta.main) await runTool(run, USAGE);
