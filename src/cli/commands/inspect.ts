/** `zinc inspect`: what is in a GGUF file. */
import { formatBytes } from "../../common/byte_size.ts";
import { usageError, UserError } from "../../common/errors.ts";
import { printable } from "../../common/printable.ts";
import type { GgufFile } from "../../gguf/mod.ts";
import { addCacheFlags, type CacheFlags, cacheTypesFrom } from "../cache_flags.ts";
import type { AddCommand } from "../command.ts";
import { wholeNumber } from "../flags.ts";
import type { Inspection } from "../inspection.ts";
import { nearest } from "../nearest.ts";
import { table } from "../table.ts";

interface Flags extends CacheFlags {
  readonly json?: boolean;
  readonly tensor?: string;
  readonly rawF32?: string;
  readonly ctx?: number;
}

const ARRAY_SHOWN = 6;
const TEXT_SHOWN = 100;
const VALUES_SHOWN = 16;

/** Adds `zinc inspect`. */
export const addInspect: AddCommand = (program, { out }) => {
  const command = program.command("inspect")
    .summary("show what is in a model file")
    .description(
      "Show a model file's metadata, tensors, end-of-generation tokens and the memory it takes; or one tensor's values.",
    )
    .argument("<file>", "a GGUF file or a name from zinc list")
    .option("--json", "one JSON object; arrays in full")
    .option("--tensor <name>", "show this tensor's decoded values")
    .option("--raw-f32 <out>", "with --tensor: write all its values to a file, little-endian float32")
    .option("-c, --ctx <tokens>", "context that the memory estimate is for", wholeNumber(1));
  addCacheFlags(command)
    .action(async (reference: string, flags: Flags) => {
      if (flags.rawF32 && !flags.tensor) throw usageError("--raw-f32 needs --tensor");
      const { findModelFile } = await import("../model_source.ts");
      const { openGguf } = await import("../../gguf/mod.ts");
      using file = openGguf(await findModelFile(reference));
      if (flags.tensor) return await out.write(await showTensor(file, flags.tensor, flags));
      const { inspect } = await import("../inspection.ts");
      const inspection = inspect(file, flags.ctx, cacheTypesFrom(flags));
      if (flags.json) await out.json(inspection);
      else await out.write(await describe(inspection));
    });
};

async function showTensor(file: GgufFile, name: string, flags: Flags): Promise<string> {
  const info = file.tensors.get(name);
  if (!info) {
    const near = nearest(name, [...file.tensors.keys()]);
    throw new UserError(
      `Cannot find tensor "${name}" in "${file.path}"${near ? `; did you mean "${near}"?` : ""}`,
    );
  }
  if (!info.format) {
    throw new UserError(`Cannot decode tensor "${name}": zinc does not know type ${info.ggmlType}`);
  }
  const { decodeTensor } = await import("../../quant/formats.ts");
  const bytes = new Uint8Array(info.bytes);
  file.readTensor(info, bytes);
  const values = decodeTensor(info.format, bytes, info.elements);
  if (flags.rawF32) writeFloats(flags.rawF32, values);
  const { format: type, dims: shape } = info;
  if (flags.json) {
    return JSON.stringify({ name, type, shape, values: flags.rawF32 ? undefined : Array.from(values) }) +
      "\n";
  }
  const shown = Array.from(values.subarray(0, VALUES_SHOWN), (value) => value.toPrecision(6)).join(" ");
  return `${name} ${type} [${shape.join(", ")}]\n${shown}${values.length > VALUES_SHOWN ? " ..." : ""}\n`;
}

function writeFloats(path: string, values: Float32Array): void {
  try {
    Deno.writeFileSync(path, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  } catch (cause) {
    throw new UserError(`Cannot write "${path}": ${(cause as Error).message}`, { cause });
  }
}

async function describe(inspection: Inspection): Promise<string> {
  const { memory, metadata, tensors, end_of_generation: ends } = inspection;
  const facts: [string, string][] = [
    [
      "File",
      `${printable(inspection.file)} (${formatBytes(inspection.bytes)}, GGUF version ${inspection.version})`,
    ],
    ["Architecture", printable(inspection.architecture ?? "not given")],
    ["Parameters", inspection.parameters.toLocaleString("en-US")],
    ["Tensor types", typeSummary(tensors)],
  ];
  if (ends) {
    facts.push([
      "Ends a reply",
      ends.map(({ id, piece }) => `${id} ${printable(piece)}`).join(", ") || "nothing",
    ]);
  }
  if (memory) {
    const state = memory.recurrent_state_bytes > 0
      ? `, recurrent state ${formatBytes(memory.recurrent_state_bytes)}`
      : "";
    facts.push([
      "Memory",
      `weights ${formatBytes(memory.weights_bytes)}, ` +
      `cache for ${memory.context} tokens ${formatBytes(memory.kv_cache_bytes)}${state}`,
    ]);
  }
  for (const problem of inspection.problems) facts.push(["Problem", printable(problem)]);
  const keys = Object.entries(metadata).map(([key, value]) => `  ${printable(key)} = ${showValue(value)}\n`);
  const rows = tensors.map((
    t,
  ) => [printable(t.name), t.type, `[${t.shape.join(", ")}]`, formatBytes(t.bytes), String(t.offset)]);
  return facts.map(([name, value]) => `${name.padEnd(14)}${value}\n`).join("") + "\nMetadata\n" +
    keys.join("") + "\n" +
    await table(["TENSOR", "TYPE", "SHAPE", "SIZE", "OFFSET"], rows);
}

function typeSummary(tensors: Inspection["tensors"]): string {
  const counts = new Map<string, number>();
  for (const { type } of tensors) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([type, count]) => `${count} ${type}`).join(", ") ||
    "none";
}

function showValue(value: unknown): string {
  if (Array.isArray(value)) {
    const shown = value.slice(0, ARRAY_SHOWN).map((item) =>
      typeof item === "string" ? `"${printable(item)}"` : String(item)
    );
    return `[${shown.join(", ")}${value.length > ARRAY_SHOWN ? `, ... ${value.length} in all` : ""}]`;
  }
  if (typeof value === "number") {
    return String(Math.fround(value) === value ? Number(value.toPrecision(7)) : value);
  }
  if (typeof value !== "string") return String(value);
  return printable(
    value.length > TEXT_SHOWN ? `${value.slice(0, TEXT_SHOWN)}... ${value.length} characters` : value,
  );
}
