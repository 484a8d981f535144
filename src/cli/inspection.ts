/** What `zinc inspect` finds out about a model file. */
import { UserError } from "../common/errors.ts";
import { type GgufFile, type MetadataValue, StringArray, type TensorInfo } from "../gguf/mod.ts";
import { stateBytes } from "../graph/vulkan_sequence.ts";
import { cacheTypesOf } from "../inference/sequence_size.ts";
import type { CacheTypes } from "../kernels/cache_types.ts";
import type { StateSlot } from "../kernels/operation.ts";
import { openModel } from "../models/open_model.ts";
import { deviceBytes } from "../quant/planes.ts";
import { createTokenizer } from "../tokenizer/mod.ts";

/** A model file, described. Field names are those of `zinc inspect --json`. */
export interface Inspection {
  /** The file as it was named. */
  readonly file: string;
  /** Size of all its parts. */
  readonly bytes: number;
  /** GGUF version. */
  readonly version: number;
  /** `general.architecture`, when the file has one. */
  readonly architecture?: string;
  /** Number of weights. */
  readonly parameters: number;
  /** All keys, in file order. */
  readonly metadata: Record<string, unknown>;
  /** All tensors, in file order. */
  readonly tensors: readonly InspectedTensor[];
  /** Tokens that end a reply. */
  readonly end_of_generation?: readonly { readonly id: number; readonly piece: string }[];
  /** What running it takes, when zinc can run it. */
  readonly memory?: MemoryEstimate;
  /** Why zinc cannot run it, or what is doubtful. */
  readonly problems: readonly string[];
}

/** One tensor. */
export interface InspectedTensor {
  /** Its name. */
  readonly name: string;
  /** Its block format, or `type N` for one that zinc does not know. */
  readonly type: string;
  /** Extents in the file's order: the row length first. */
  readonly shape: readonly number[];
  /** Bytes of its data. */
  readonly bytes: number;
  /** Where they begin in the file. */
  readonly offset: number;
}

/** Bytes on the device, activations not counted. */
export interface MemoryEstimate {
  /** Positions that the estimate is for. */
  readonly context: number;
  /** Weights. */
  readonly weights_bytes: number;
  /** Keys and values, as they are stored. */
  readonly kv_cache_bytes: number;
  /** Recurrent state. */
  readonly recurrent_state_bytes: number;
}

/** Describes an open file. The memory estimate is for `context` tokens and these cache types, by default what zinc would open. */
export function inspect(
  file: GgufFile,
  context?: number,
  cacheTypes?: Partial<CacheTypes>,
): Inspection {
  const problems: string[] = [];
  const attempt = <T>(read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      problems.push(error.message);
      return undefined;
    }
  };
  const tokenizer = attempt(() => createTokenizer(file.metadata));
  problems.push(...tokenizer?.warnings ?? []);
  const tensors = [...file.tensors.values()];
  return {
    file: file.path,
    bytes: file.shards.reduce((sum, shard) => sum + shard.size, 0),
    version: file.version,
    architecture: asString(file.metadata.get("general.architecture")),
    parameters: tensors.reduce((sum, tensor) => sum + tensor.elements, 0),
    end_of_generation: tokenizer &&
      [...tokenizer.endOfGeneration].map((id) => ({ id, piece: tokenizer.piece(id) })),
    memory: attempt(() => estimateMemory(file.path, context, cacheTypes)),
    problems,
    metadata: Object.fromEntries(
      file.metadata.keys().map((key) => [key, plainValue(file.metadata.get(key)!)]),
    ),
    tensors: tensors.map(inspectTensor),
  };
}

/** Name of a tensor's type. */
export function typeName(tensor: TensorInfo): string {
  return tensor.format ?? `type ${tensor.ggmlType}`;
}

function inspectTensor(tensor: TensorInfo): InspectedTensor {
  const { name, dims, bytes, fileOffset } = tensor;
  return { name, type: typeName(tensor), shape: dims, bytes, offset: fileOffset };
}

function estimateMemory(
  path: string,
  context: number | undefined,
  cacheTypes: Partial<CacheTypes> | undefined,
): MemoryEstimate {
  using model = openModel(path, context);
  const weights = [...model.tensors.weights.values(), ...model.tensors.constants.values()];
  const types = cacheTypesOf(model, cacheTypes);
  const bytesOf = (kind: StateSlot["kind"]) =>
    stateBytes(model.states.slots.filter((slot) => slot.kind === kind), model.contextLength, types);
  return {
    context: model.contextLength,
    weights_bytes: weights.reduce((sum, w) => sum + deviceBytes(w.format, w.experts * w.rows * w.columns), 0),
    kv_cache_bytes: bytesOf("kv"),
    recurrent_state_bytes: bytesOf("recurrent"),
  };
}

/** A metadata value as JSON can hold it. */
function plainValue(value: MetadataValue): unknown {
  if (value instanceof StringArray) return value.toArray();
  return ArrayBuffer.isView(value) ? Array.from(value as Iterable<number | bigint>) : value;
}

function asString(value: MetadataValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}
