/**
 * Writes a model of random weights in the exact shape of a real one: tensor names, metadata and formats are the real
 * file's, so that speed can be measured where the real weights cannot be had. zinc and llama.cpp load it alike.
 *
 *   deno run -A tools/synth_model.ts qwen3-8b /tmp/qwen3-8b.gguf
 *   deno run -A tools/synth_model.ts gemma-3-27b /tmp/cut.gguf --layers 2 --quant q8_0
 */
import { statSync } from "node:fs";
import { parseArgs } from "node:util";
import { usageError } from "../src/common/errors.ts";
import { dataBytes, describeModel, parameterCount, writeEmptyModel, writeModel } from "./synth/model.ts";
import { MIXES, type MixName } from "./synth/quant_mix.ts";
import { type Shape, SHAPES } from "./synth/shapes.ts";
import { runTool, wholeNumber } from "./run_tool.ts";

const USAGE = `usage: synth_model.ts SHAPE FILE [--layers N] [--quant TYPE] [--pure] [--seed N]
  SHAPE     ${SHAPES.map((shape) => shape.name).join(" ")}
  --layers  write only the first N layers
  --quant   ${MIXES.join(" ")}
            (default: the real file's)
  --pure    every matrix in that format, the output matrix too
  --seed    other weights (default: 0)
  --empty   no weights: a file of the same length that takes no room`;

function run(args: string[]): void {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      layers: { type: "string" },
      quant: { type: "string" },
      pure: { type: "boolean" },
      seed: { type: "string" },
      empty: { type: "boolean" },
    },
  });
  const [name, path] = positionals;
  if (!name || !path) throw usageError(USAGE);
  const shape = cutShape(shapeNamed(name), values.layers);
  const model = describeModel(shape, {
    mix: values.quant === undefined ? undefined : mixNamed(values.quant),
    pure: values.pure,
    seed: values.seed === undefined ? 0 : wholeNumber("--seed", values.seed, 0),
  });
  console.error(
    `${shape.title}: ${shape.layers} layers, ${(parameterCount(model) / 1e9).toFixed(2)} billion weights, ` +
      `${(dataBytes(model) / 1e9).toFixed(2)} GB`,
  );
  if (values.empty) return writeEmptyModel(path, model);
  const start = performance.now();
  writeModel(path, model);
  const seconds = (performance.now() - start) / 1000;
  const bytes = statSync(path).size;
  console.error(
    `${path}: ${bytes} bytes in ${seconds.toFixed(1)} s, ${(bytes / 1e9 / seconds).toFixed(2)} GB/s`,
  );
}

function shapeNamed(name: string): Shape {
  const shape = SHAPES.find((candidate) => candidate.name === name);
  if (!shape) throw usageError(`Unknown shape "${name}"\n${USAGE}`);
  return shape;
}

function cutShape(shape: Shape, layers?: string): Shape {
  return layers === undefined ? shape : { ...shape, layers: wholeNumber("--layers", layers, 1) };
}

function mixNamed(name: string): MixName {
  const mix = MIXES.find((candidate) => candidate === name.toLowerCase());
  if (!mix) throw usageError(`Unknown type "${name}" for --quant; it takes ${MIXES.join(", ")}`);
  return mix;
}

if (import.meta.main) await runTool(run, USAGE);
