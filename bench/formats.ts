/**
 * Which share of a device's read speed the products with a matrix of each format reach: a matrix far larger than the caches,
 * times few tokens, several products that do not depend on each other in one submission.
 *
 *   deno run -A bench/formats.ts --megabytes 300 --columns 8192
 */
import { parseArgs } from "node:util";
import { table } from "../src/cli/table.ts";
import { usageError } from "../src/common/errors.ts";
import { measureReadLimit } from "../src/inference/bench/read_limit.ts";
import { DOT_FORMATS } from "../src/kernels/dot_plan.ts";
import { KernelSet } from "../src/kernels/kernel_set.ts";
import { matmul } from "../src/kernels/matmul.ts";
import type { DeviceMatrix, GpuContext, Value } from "../src/kernels/operation.ts";
import { blockCount, type FormatName, tensorBytes } from "../src/quant/formats.ts";
import { deviceBytes } from "../src/quant/planes.ts";
import { chooseAdapter, Device, type DeviceBuffer, Instance, Recorder, span } from "../src/vulkan/mod.ts";
import { runTool, wholeNumber } from "../tools/run_tool.ts";
import { median, timeRounds } from "./rounds.ts";

const USAGE =
  `usage: formats.ts [--megabytes N] [--columns N] [--tokens N] [--format F[,F...]] [--device D] [--json]
  --megabytes  size of the matrix (default: 300)
  --columns    of the matrix, a multiple of 256 (default: 8192)
  --tokens     rows of x (default: 1)
  --format     ${DOT_FORMATS.join(" ")} (default: all)
  --device     number or part of the name of the device
  --json       every sample, µs of one product`;

/** Products between two barriers. */
const PRODUCTS = 10;
/** What fills the matrix: as a scale, a small float16 in either half. */
const FILL = 0x2b2b2b2b;

interface Shape {
  readonly format: FormatName;
  readonly rows: number;
  readonly columns: number;
  readonly tokens: number;
}

async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      megabytes: { type: "string", default: "300" },
      columns: { type: "string", default: "8192" },
      tokens: { type: "string", default: "1" },
      format: { type: "string", default: DOT_FORMATS.join(",") },
      device: { type: "string" },
      json: { type: "boolean" },
    },
  });
  const bytes = wholeNumber("--megabytes", values.megabytes, 1) * 1e6;
  const columns = wholeNumber("--columns", values.columns, 256);
  const tokens = wholeNumber("--tokens", values.tokens, 1);
  if (columns % 256 !== 0) throw usageError(`Expected a multiple of 256 for --columns, found ${columns}`);
  const formats = values.format.split(",").map((name) => {
    const format = DOT_FORMATS.find((known) => known === name);
    if (!format) throw usageError(`Unknown format "${name}" for --format; it takes ${DOT_FORMATS.join(" ")}`);
    return format;
  });
  using instance = Instance.create();
  await using device = Device.create(chooseAdapter(instance.adapters(), values.device));
  const limit = await measureReadLimit(device);
  const rows: string[][] = [];
  for (const format of formats) {
    const shape = { format, columns, tokens, rows: Math.ceil(bytes / tensorBytes(format, columns)) };
    const samples = await timeProduct(device, shape);
    const us = median(samples);
    const read = tensorBytes(format, shape.rows * columns);
    const speed = read / us * 1e6;
    if (values.json) {
      console.log(
        JSON.stringify({ ...shape, bytes: read, samples_us: samples, limit_gb_per_s: limit / 1e9 }),
      );
    }
    rows.push([
      format,
      `${shape.rows} x ${columns}`,
      us.toFixed(1),
      (speed / 1e9).toFixed(0),
      `${(100 * speed / limit).toFixed(0)} %`,
    ]);
  }
  if (!values.json) {
    console.log(`${device.info.name}, reads ${(limit / 1e9).toFixed(0)} GB/s\n`);
    console.log(await table(["FORMAT", "MATRIX", "µs", "GB/s", "OF LIMIT"], rows));
  }
}

/** Samples of the time that one product takes, µs. */
async function timeProduct(device: Device, { format, rows, columns, tokens }: Shape): Promise<number[]> {
  const kernels = new KernelSet(device);
  const elements = rows * columns;
  const sizes = {
    weights: deviceBytes(format, elements),
    x: tokens * columns * 4,
    y: PRODUCTS * tokens * rows * 4,
  };
  using weights = device.createBuffer({ label: "weights", bytes: sizes.weights, kind: "weights" });
  using x = device.createBuffer({ label: "x", bytes: sizes.x, kind: "activations" });
  using y = device.createBuffer({ label: "y", bytes: sizes.y, kind: "activations" });
  const input = valueOf(0, tokens, columns);
  const weight = { name: format, format, experts: 1, rows, columns };
  using recorder = new Recorder(device, { label: format });
  for (let product = 0; product < PRODUCTS; product++) {
    const output = valueOf(1, tokens, rows);
    const context: Pick<GpuContext, "kernels" | "recorder" | "matrix" | "weight"> = {
      kernels,
      recorder,
      matrix: (value) => value === input ? matrixIn(x, 0, input) : matrixIn(y, product, output),
      weight: () => ({ format, span: span(weights), blocks: blockCount(format, elements) }),
    };
    const node = { inputs: [input], outputs: [output], weight, activation: "none", scale: 1 } as const;
    matmul.record({ op: "matmul", ...node }, context as GpuContext);
  }
  using commands = recorder.finish();
  using filling = new Recorder(device, { label: "fill" });
  for (const buffer of [weights, x]) filling.fill(span(buffer), FILL);
  using filled = filling.finish();
  await device.wait(device.submit([filled]));
  const { samples } = await timeRounds(device, commands);
  return samples.map((us) => us / PRODUCTS);
}

function valueOf(id: number, rows: number, width: number): Value {
  const value = { id, name: `value ${id}`, rows, width, offset: 0, stride: width };
  return Object.assign(value, { root: value }) as Value;
}

/** The `index`th matrix of that shape in a buffer. */
function matrixIn(buffer: DeviceBuffer, index: number, { rows, width }: Value): DeviceMatrix {
  const bytes = rows * width * 4;
  return { span: span(buffer, index * bytes, bytes), rows, width, stride: width };
}

if (import.meta.main) await runTool(run, USAGE);
