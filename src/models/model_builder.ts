/**
 * What a family has in hand while it builds a forward pass: the graph, the numbers, the tensors and the state.
 *
 * Asking for a tensor checks its name, shape and format; so building the graph once, before anything is uploaded,
 * refuses by name every file that could not run.
 */
import { UserError } from "../common/errors.ts";
import type { GgufFile, TensorInfo } from "../gguf/mod.ts";
import { GraphBuilder } from "../graph/builder.ts";
import type { StateSlot, Weight } from "../kernels/operation.ts";
import { FORMATS } from "../quant/formats.ts";
import type { Config } from "./config.ts";

/** A weight that zinc computes instead of reading. */
export interface ConstantWeight extends Weight {
  readonly data: Float32Array;
}

/** The tensors of a file, by name, as far as a family has asked for them. */
export class TensorTable {
  readonly #file: GgufFile;
  readonly #weights = new Map<string, Weight>();
  readonly #constants = new Map<string, ConstantWeight>();
  readonly #values = new Map<string, Float32Array>();

  /** @param file The open model. */
  constructor(file: GgufFile) {
    this.#file = file;
  }

  /** Whether the file has the tensor. */
  has(name: string): boolean {
    return this.#file.tensors.has(name);
  }

  /** The tensor as a matrix `[rows, columns]` (a vector is one row). Throws `UserError` unless it is there in that shape. */
  matrix(name: string, rows: number, columns: number): Weight {
    return this.experts(name, 1, rows, columns);
  }

  /** A vector `[length]`, stored as one row of float32. */
  vector(name: string, length: number): Weight {
    return this.parameters(name, 1, length);
  }

  /** A small matrix that kernels read element by element: it becomes float32 when it is loaded, whatever the file has. */
  parameters(name: string, rows: number, columns: number): Weight {
    return this.#weight({ name, experts: 1, rows, columns }, "f32");
  }

  /** The vector if the file has it. */
  optionalVector(name: string, length: number): Weight | undefined {
    return this.has(name) ? this.vector(name, length) : undefined;
  }

  /** A bias: missing is an error if the family `requires` it, and none otherwise. */
  bias(name: string, length: number, required = false): Weight | undefined {
    return required ? this.vector(name, length) : this.optionalVector(name, length);
  }

  /** A stack of matrices `[experts, rows, columns]`. */
  experts(name: string, experts: number, rows: number, columns: number): Weight {
    return this.#weight({ name, experts, rows, columns });
  }

  #weight(described: Omit<Weight, "format">, format?: "f32"): Weight {
    const { name, experts, rows, columns } = described;
    const info = this.#info(name);
    const fileFormat = usableFormat(info);
    const weight = this.#weights.get(name) ?? { ...described, format: format ?? fileFormat };
    const shape = [columns, rows, experts];
    // Extents of 1 say nothing about the layout, and converters put them where they like.
    if (withoutOnes(shape).join() !== withoutOnes(info.dims).join()) {
      throw new UserError(
        `Cannot use tensor "${name}": its shape is [${info.dims.join(", ")}], expected [${
          trimOnes(shape).join(", ")
        }]`,
      );
    }
    this.#weights.set(name, weight);
    return weight;
  }

  /** Elements of a tensor, for a family that must know an extent no key gives. `ne[dimension]` of the file. */
  extent(name: string, dimension: number): number {
    return this.#info(name).dims[dimension] ?? 1;
  }

  /** The decoded values of a small tensor, read once: not to be changed. */
  values(name: string, length: number): Float32Array {
    const known = this.#values.get(name);
    if (known?.length === length) return known;
    const info = this.#info(name);
    const format = FORMATS[usableFormat(info)];
    if (info.elements !== length) {
      throw new UserError(
        `Cannot use tensor "${name}": it has ${info.elements} elements, expected ${length}`,
      );
    }
    const bytes = new Uint8Array(info.bytes);
    this.#file.readTensor(info, bytes);
    const values = new Float32Array(length);
    format.decode(bytes, length / format.blockLength, values, 0);
    this.#values.set(name, values);
    return values;
  }

  /** A weight computed by zinc, `[rows, data.length / rows]`. The same name gives the same weight. */
  constant(name: string, compute: () => Float32Array, rows = 1): Weight {
    let constant = this.#constants.get(name);
    if (!constant) {
      const data = compute();
      constant = { name, format: "f32", experts: 1, rows, columns: data.length / rows, data };
      this.#constants.set(name, constant);
    }
    return constant;
  }

  /** All tensors asked for so far: what has to be uploaded. */
  get weights(): ReadonlyMap<string, Weight> {
    return this.#weights;
  }

  /** All computed weights so far. */
  get constants(): ReadonlyMap<string, ConstantWeight> {
    return this.#constants;
  }

  #info(name: string): TensorInfo {
    const info = this.#file.tensors.get(name);
    if (!info) throw new UserError(`Cannot load "${this.#file.path}": tensor "${name}" is missing`);
    return info;
  }
}

function usableFormat(info: TensorInfo) {
  const format = info.format;
  if (format === undefined || !FORMATS[format].device) {
    const supported = Object.values(FORMATS).filter((f) => f.device).map((f) => f.name).join(", ");
    throw new UserError(
      `Cannot use tensor "${info.name}": no kernel reads type ${
        format ?? info.ggmlType
      } (supported: ${supported})`,
    );
  }
  return format;
}

function withoutOnes(shape: readonly number[]): number[] {
  return shape.filter((extent) => extent !== 1);
}

function trimOnes(shape: number[]): number[] {
  const trimmed = [...shape];
  while (trimmed.length > 1 && trimmed.at(-1) === 1) trimmed.pop();
  return trimmed;
}

/** The state slots of a model, by name; ids are stable over rebuilds of the graph. */
export class StateTable {
  readonly #slots = new Map<string, StateSlot>();

  /** A cache with one row of `width` elements per position, stored as the session stores what it holds; float32 if that is neither. */
  kv(name: string, width: number, holds?: StateSlot["holds"]): StateSlot {
    return this.#slot({ name, kind: "kv", width, holds });
  }

  /** A float32 state of `width` elements per sequence. */
  recurrent(name: string, width: number): StateSlot {
    return this.#slot({ name, kind: "recurrent", width });
  }

  /** All slots in order of their ids. */
  get slots(): readonly StateSlot[] {
    return [...this.#slots.values()];
  }

  #slot(description: Omit<StateSlot, "id">): StateSlot {
    const { name } = description;
    let slot = this.#slots.get(name);
    if (!slot) this.#slots.set(name, slot = { id: this.#slots.size, ...description });
    return slot;
  }
}

/** Everything a family needs to build one forward pass. */
export interface ModelBuilder {
  readonly graph: GraphBuilder;
  readonly config: Config;
  readonly tensors: TensorTable;
  readonly states: StateTable;
  /** Rows of the KV cache: the context the session was opened with (it chooses LongRoPE's factors). */
  readonly contextLength: number;
  /** What a decoder ends in: logits, or (for embeddings) the normalised hidden states. Logits by default. */
  readonly result?: "logits" | "hidden";
}
