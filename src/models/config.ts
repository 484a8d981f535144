/**
 * The numbers of a model that every family shares, read from GGUF metadata (`<architecture>.<key>`) and checked.
 *
 * Key names and their defaults: the GGUF specification in the ggml repository, docs/gguf.md. What only one family has is
 * read by that family through {@linkcode Hyperparameters}.
 */
import { UserError } from "../common/errors.ts";
import type { Metadata } from "../gguf/mod.ts";
import { VOCABULARY_MAX } from "../kernels/sample.ts";

/** Upper bounds that no real model comes near; they turn a crafted file into an error instead of an allocation. */
const MAX = {
  layers: 1024,
  hidden: 1 << 20,
  heads: 1 << 14,
  headDim: 1 << 14,
  contextLength: 1 << 28,
  vocab: VOCABULARY_MAX,
};

/** Reads `<architecture>.<key>`; every getter names the full key in its errors. */
export class Hyperparameters {
  /** @param architecture The file's `general.architecture`: the prefix of its keys. */
  constructor(readonly metadata: Metadata, readonly architecture: string) {}

  /** Whether the key exists. */
  has(key: string): boolean {
    return this.metadata.has(this.#full(key));
  }

  /** A whole number within `[min, max]`. */
  integer(key: string, range: { min: number; max: number }, fallback?: number): number {
    return this.metadata.integer(this.#full(key), range, fallback);
  }

  /** Any finite number. */
  number(key: string, fallback?: number): number {
    return this.metadata.number(this.#full(key), fallback);
  }

  /** A number above zero. */
  positive(key: string, fallback?: number): number {
    const value = this.number(key, fallback);
    if (!(value > 0)) throw new UserError(`Cannot use key "${this.#full(key)}": ${value} is not above zero`);
    return value;
  }

  /** A number that is zero or more; zero usually means off. */
  nonNegative(key: string, fallback?: number): number {
    const value = this.number(key, fallback);
    if (!(value >= 0)) throw new UserError(`Cannot use key "${this.#full(key)}": ${value} is below zero`);
    return value;
  }

  /** A string. */
  string(key: string, fallback?: string): string {
    return this.metadata.string(this.#full(key), fallback);
  }

  /** True or false. */
  boolean(key: string, fallback?: boolean): boolean {
    return this.metadata.boolean(this.#full(key), fallback);
  }

  /** Whether the value is an array: most per-layer keys are either one number or one per layer. */
  isArray(key: string): boolean {
    return this.metadata.isArray(this.#full(key));
  }

  /** A value per layer, from an array of that length or from one number for all; bools count as 0 and 1. */
  perLayer(key: string, layers: number, range: { min: number; max: number }, fallback?: number): number[] {
    if (!this.has(key) || !this.metadata.isArray(this.#full(key))) {
      return new Array(layers).fill(this.integer(key, range, fallback));
    }
    const bools = this.metadata.elementType(this.#full(key)) === "bool";
    const stored = bools ? this.metadata.booleans(this.#full(key)) : this.metadata.numbers(this.#full(key));
    const values = Array.from(stored, Number);
    if (values.length < layers) {
      throw new UserError(
        `Cannot use key "${this.#full(key)}": ${values.length} values for ${layers} layers`,
      );
    }
    const bad = values.find((value) => !Number.isInteger(value) || value < range.min || value > range.max);
    if (bad !== undefined) {
      throw new UserError(
        `Cannot use key "${this.#full(key)}": ${bad} is not a whole number from ${range.min} to ${range.max}`,
      );
    }
    return values.slice(0, layers);
  }

  #full(key: string): string {
    return `${this.architecture}.${key}`;
  }
}

/** Shape of a decoder. Arrays have one entry per layer. */
export interface Config {
  readonly architecture: string;
  readonly layers: number;
  /** Width of the residual stream. */
  readonly hidden: number;
  readonly vocab: number;
  /** Longest context the model was made for, tokens. */
  readonly contextLength: number;
  readonly heads: readonly number[];
  readonly kvHeads: readonly number[];
  /** Elements of a query or key head. */
  readonly headDim: number;
  /** Elements of a value head. */
  readonly valueDim: number;
  /** Inner width of the feed-forward block. */
  readonly feedForward: readonly number[];
  readonly normEpsilon: number;
  /** Of layer norms, where a file gives both. */
  readonly layerNormEpsilon: number;
  /** Rotated elements per head. */
  readonly rotaryDim: number;
  /** Keys that only some families have. */
  readonly keys: Hyperparameters;
}

/**
 * Reads and checks the shared numbers. `vocab` is the number of rows of the token table.
 *
 * @throws UserError for a number that is missing or out of its range.
 */
export function readConfig(metadata: Metadata, architecture: string, vocab: number): Config {
  if (vocab > MAX.vocab) {
    throw new UserError(`Cannot use tensor "token_embd.weight": ${vocab} tokens, allowed are ${MAX.vocab}`);
  }
  const keys = new Hyperparameters(metadata, architecture);
  const blocks = keys.integer("block_count", { min: 1, max: MAX.layers });
  // Blocks at the end that predict tokens further ahead take no part in the forward pass.
  const layers = blocks - keys.integer("nextn_predict_layers", { min: 0, max: blocks - 1 }, 0);
  const hidden = keys.integer("embedding_length", { min: 1, max: MAX.hidden });
  const heads = keys.perLayer("attention.head_count", layers, { min: 0, max: MAX.heads }, 0);
  const someHeads = Math.max(...heads);
  const kvHeads = keys.has("attention.head_count_kv")
    ? keys.perLayer("attention.head_count_kv", layers, { min: 0, max: MAX.heads })
    : heads;
  const headDim = keys.integer(
    "attention.key_length",
    { min: 1, max: MAX.headDim },
    someHeads > 0 ? Math.floor(hidden / someHeads) : 1,
  );
  heads.forEach((count, layer) => {
    if (kvHeads[layer] > 0 && count % kvHeads[layer] !== 0) {
      throw new UserError(
        `Cannot use key "${architecture}.attention.head_count_kv": ${count} heads do not divide into ${
          kvHeads[layer]
        } groups`,
      );
    }
  });
  const normEpsilon = keys.nonNegative(
    keys.has("attention.layer_norm_rms_epsilon")
      ? "attention.layer_norm_rms_epsilon"
      : "attention.layer_norm_epsilon",
    1e-5,
  );
  return {
    architecture,
    layers,
    hidden,
    vocab,
    contextLength: keys.integer("context_length", { min: 1, max: MAX.contextLength }),
    heads,
    kvHeads,
    headDim,
    valueDim: keys.integer("attention.value_length", { min: 1, max: MAX.headDim }, headDim),
    feedForward: keys.perLayer("feed_forward_length", layers, { min: 0, max: MAX.hidden }, 0),
    normEpsilon,
    layerNormEpsilon: keys.nonNegative("attention.layer_norm_epsilon", normEpsilon),
    rotaryDim: keys.integer("rope.dimension_count", { min: 0, max: headDim }, headDim),
    keys,
  };
}
