/** From a shape to a file: describes the model, chooses each tensor's format, and writes it all. */
import { alignUp } from "../../src/gguf/header.ts";
import { DEFAULT_ALIGNMENT } from "../../src/gguf/limits.ts";
import { type MetadataEntry, type TensorData, writeGguf } from "../../src/gguf/mod.ts";
import { ggufHeader } from "../../src/gguf/writer.ts";
import { type FormatName, tensorBytes } from "../../src/quant/formats.ts";
import { dense } from "./architectures/dense.ts";
import { gemma3 } from "./architectures/gemma3.ts";
import { gptOss } from "./architectures/gpt_oss.ts";
import { qwen35Moe } from "./architectures/qwen35moe.ts";
import { PatternSource } from "./pattern.ts";
import { FILE_TYPE, formatOf, type MixContext, type MixName } from "./quant_mix.ts";
import { Random } from "./random.ts";
import type { ArchitectureName, Shape } from "./shapes.ts";
import type { ModelSpec, TensorSpec } from "./tensor_spec.ts";
import { vocabularyMetadata } from "./vocabulary.ts";

const ARCHITECTURES: Readonly<Record<ArchitectureName, (shape: Shape) => ModelSpec>> = {
  llama: dense,
  qwen3: dense,
  qwen35moe: qwen35Moe,
  "gpt-oss": gptOss,
  gemma3,
};

/** What differs from the real model. */
export interface SynthOptions {
  /** File type instead of the real file's. */
  readonly mix?: MixName;
  /** Every matrix in the file type's own format, the output matrix too. */
  readonly pure?: boolean;
  /** Other weights for another seed; 0 by default. */
  readonly seed?: number;
}

/** A tensor and the format that it is stored in. */
export interface SynthTensor extends TensorSpec {
  readonly format: FormatName;
}

/** A model that can be written. */
export interface SynthModel {
  readonly metadata: readonly MetadataEntry[];
  readonly tensors: readonly SynthTensor[];
  readonly seed: number;
}

/** Describes the model of `shape`; computes no data yet. */
export function describeModel(shape: Shape, options: SynthOptions = {}): SynthModel {
  const { mix = shape.mix, pure, seed = 0 } = options;
  const { metadata, tensors } = ARCHITECTURES[shape.architecture](shape);
  const context = { mix, pure, layers: shape.layers, hasOutput: !shape.tied };
  return {
    metadata: [
      ["general.architecture", "string", shape.architecture],
      ["general.type", "string", "model"],
      ["general.name", "string", `${shape.title}, random weights`],
      ["general.file_type", "u32", FILE_TYPE[mix]],
      ["general.quantization_version", "u32", 2],
      ...metadata,
      ...vocabularyMetadata(shape.tokenizer, shape.vocabulary),
    ],
    tensors: withFormats(tensors, context),
    seed,
  };
}

/** Bytes of tensor data. */
export function dataBytes({ tensors }: SynthModel): number {
  return tensors.reduce((sum, { format, dims }) => sum + tensorBytes(format, elements(dims)), 0);
}

/** Number of weights. */
export function parameterCount({ tensors }: SynthModel): number {
  return tensors.reduce((sum, { dims }) => sum + elements(dims), 0);
}

/** Writes the model. Throws `UserError` where the disk refuses. */
export function writeModel(path: string, { metadata, tensors, seed }: SynthModel): void {
  const source = new PatternSource(new Random(seed, "pattern"));
  const data = tensors.map((tensor): TensorData => {
    const { name, format, dims } = tensor;
    return { name, format, dims, data: () => tensorData(tensor, source, new Random(seed, name)) };
  });
  writeGguf(path, { metadata, tensors: data });
}

/** Writes the header alone, in a file as long as the model's, which takes no room: all weights read as 0. */
export function writeEmptyModel(path: string, { metadata, tensors }: SynthModel): void {
  const header = ggufHeader({ metadata, tensors: tensors.map((tensor) => ({ ...tensor, data: NO_DATA })) });
  Deno.writeFileSync(path, header);
  const length = tensors.reduce(
    (end, { format, dims }) => alignUp(end + tensorBytes(format, elements(dims)), DEFAULT_ALIGNMENT),
    header.length,
  );
  Deno.truncateSync(path, length);
}

const NO_DATA = new Uint8Array();

function withFormats(tensors: readonly TensorSpec[], context: MixContext): SynthTensor[] {
  let valueMatrices = 0;
  return tensors.map((tensor) => {
    const { name, dims, values } = tensor;
    if (values.kind !== "matrix") return { ...tensor, format: "f32" };
    const layer = name.includes("attn_v.") ? valueMatrices++ : Number(/^blk\.(\d+)\./.exec(name)?.[1] ?? 0);
    return { ...tensor, format: formatOf({ name, columns: dims[0], layer }, context) };
  });
}

function tensorData(
  { format, dims, values }: SynthTensor,
  source: PatternSource,
  random: Random,
): Iterable<Uint8Array> {
  if (values.kind === "exact") {
    const numbers = Float32Array.from({ length: elements(dims) }, (_, i) => values.value(i, random));
    return [new Uint8Array(numbers.buffer)];
  }
  const [columns] = dims;
  return source.fill(
    { format, deviation: values.deviation, columns, rows: elements(dims) / columns },
    random,
  );
}

function elements(dims: readonly number[]): number {
  return dims.reduce((product, extent) => product * extent, 1);
}
