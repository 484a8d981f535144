/**
 * Builds the graph of one forward pass: a list of nodes in execution order over values with concrete shapes.
 *
 * A model family calls these methods in the order of its formula; both executors run the result. Building touches no
 * tensor data, so it also serves as the declaration of which weights and state a family needs.
 */
import { assert } from "../common/assert.ts";
import type { Activation } from "../kernels/activations.ts";
import type { AttentionNode } from "../kernels/attention.ts";
import type { EmbedIndex } from "../kernels/embed.ts";
import type { MapFunction } from "../kernels/map.ts";
import type { NormKind } from "../kernels/norm.ts";
import type { StateSlot, Value, Weight } from "../kernels/operation.ts";
import type { Node } from "../kernels/registry.ts";
import type { RopePairing } from "../kernels/rope.ts";

/** A finished forward pass. */
export interface Graph {
  readonly nodes: readonly Node[];
  /** All values, indexed by id; views included. */
  readonly values: readonly Value[];
  /** What the caller reads back: logits `[outputs, vocabulary]` or hidden states. */
  readonly result: Value;
  /** The stage of each node, where nodes are in the order of theirs: nodes of one stage need not wait for each other. */
  readonly stages?: readonly number[];
}

/**
 * What a model's graph computes. `logits`: the forward pass (an encoder's ends in hidden states). `hidden`: the forward pass of a decoder up
 * to its normalised hidden states. `encode`: the encoder of an encoder-decoder model, over a whole text.
 */
export type Pass = "logits" | "hidden" | "encode";

/** How a product with a weight is finished; every part is optional. */
export interface MatmulOptions {
  readonly bias?: Weight;
  readonly activation?: Activation;
  readonly scale?: number;
  readonly residual?: Value;
  readonly name?: string;
}

/** Weight and bias of a norm; `groupWidth` defaults to the whole row. */
export interface NormOptions {
  readonly kind?: NormKind;
  readonly weight?: Weight;
  readonly bias?: Weight;
  readonly epsilon: number;
  readonly groupWidth?: number;
  readonly name?: string;
  /** Where the result goes, in place of a value of its own: columns of another value. */
  readonly into?: Value;
}

/** The rotation of one family of heads. */
export interface RopeOptions {
  readonly headDim: number;
  readonly rotaryOffset?: number;
  readonly rotaryDim: number;
  readonly pairing: RopePairing;
  readonly frequencies: Weight;
  readonly magnitude?: number;
  /** Where the result goes, in place of a value of its own: columns of another value. */
  readonly into?: Value;
}

/** Attention without its inputs; what is left out is off. */
export type AttentionOptions =
  & Pick<AttentionNode, "keys" | "values" | "heads" | "kvHeads" | "headDim" | "scale">
  & Partial<
    Pick<
      AttentionNode,
      | "valueDim"
      | "window"
      | "chunk"
      | "causal"
      | "softcap"
      | "alibiSlopes"
      | "sinks"
      | "relativeBias"
      | "temperature"
      | "encoder"
    >
  >;

/** Collects nodes and values; one instance builds one graph. */
export class GraphBuilder {
  readonly #nodes: Node[] = [];
  readonly #values: Value[] = [];

  /**
   * @param tokens Rows of the batch.
   * @param outputs How many of the last rows need logits; 0 for a chunk whose logits nobody reads.
   */
  constructor(readonly tokens: number, readonly outputs: number) {
    assert(tokens >= 1 && outputs >= 0 && outputs <= tokens, `outputs ${outputs} of ${tokens} tokens`);
  }

  /** Ends the graph. */
  finish(result: Value): Graph {
    return { nodes: this.#nodes, values: this.#values, result };
  }

  /** A new value that owns its storage. */
  value(name: string, rows: number, width: number): Value {
    const value: { -readonly [K in keyof Value]: Value[K] } = {
      id: this.#values.length,
      name,
      rows,
      width,
      root: undefined as unknown as Value,
      offset: 0,
      stride: width,
    };
    value.root = value;
    this.#values.push(value);
    return value;
  }

  /** Columns `[start, start + width)` of a value, without a copy. */
  columns(x: Value, start: number, width: number): Value {
    assert(start >= 0 && start + width <= x.width, `${x.name}: columns ${start}+${width} of ${x.width}`);
    return this.#view(x, { width, offset: x.offset + start });
  }

  /** The last `rows` rows of a value, without a copy. */
  lastRows(x: Value, rows: number): Value {
    assert(rows <= x.rows, `${x.name}: ${rows} of ${x.rows} rows`);
    return this.#view(x, { rows, offset: x.offset + (x.rows - rows) * x.stride });
  }

  /** Adds a node; for operations that have no method of their own here. */
  add(node: Node): void {
    this.#nodes.push(node);
  }

  /** Rows of a table `[n, width]`, by token id unless said otherwise. */
  embed(table: Weight, options: { index?: EmbedIndex; scale?: number } = {}): Value {
    const y = this.value(table.name, this.tokens, table.columns);
    const { index = { by: "token" }, scale = 1 } = options;
    this.add({ op: "embed", inputs: [], outputs: [y], table, index, scale });
    return y;
  }

  /** Normalises rows or groups of a row; RMS unless said otherwise. */
  norm(x: Value, options: NormOptions): Value {
    const { kind = "rms", weight, bias, epsilon, groupWidth = x.width } = options;
    assert(x.width % groupWidth === 0, `${x.name}: width ${x.width} is not whole groups of ${groupWidth}`);
    const y = options.into ??
      this.value(options.name ?? weight?.name ?? `norm(${x.name})`, x.rows, x.width);
    assert(y.width === x.width, `${y.name}: ${y.width} columns for ${x.width}`);
    this.add({ op: "norm", inputs: [x], outputs: [y], kind, groupWidth, epsilon, weight, bias });
    return y;
  }

  /** `scale * activation(W x + bias)`, and where there is a residual its sum with that. */
  matmul(x: Value, weight: Weight, options: MatmulOptions = {}): Value {
    assert(
      x.width === weight.columns,
      `${weight.name}: ${weight.columns} columns times ${x.name} of width ${x.width}`,
    );
    const y = this.value(options.name ?? weight.name, x.rows, weight.rows);
    const { bias, activation = "none", scale = 1, residual } = options;
    const ownScale = residual ? 1 : scale;
    this.add({ op: "matmul", inputs: [x], outputs: [y], weight, bias, activation, scale: ownScale });
    return residual ? this.sum(residual, y, scale) : y;
  }

  /** Rotates the heads of `x`. */
  rope(x: Value, options: RopeOptions): Value {
    const { headDim, rotaryOffset = 0, rotaryDim, pairing, frequencies, magnitude = 1 } = options;
    assert(x.width % headDim === 0 && rotaryOffset + rotaryDim <= headDim, `${x.name}: rotary width`);
    assert(
      frequencies.columns === rotaryDim / 2,
      `${frequencies.name}: ${frequencies.columns} for ${rotaryDim}`,
    );
    const y = options.into ?? this.value(`rope(${x.name})`, x.rows, x.width);
    assert(y.width === x.width, `${y.name}: ${y.width} columns for ${x.width}`);
    this.add({
      op: "rope",
      inputs: [x],
      outputs: [y],
      headDim,
      rotaryOffset,
      rotaryDim,
      pairing,
      frequencies,
      magnitude,
    });
    return y;
  }

  /** Appends keys and values of the batch to their cache. */
  storeKv(k: Value, v: Value, keys: StateSlot, values: StateSlot): void {
    assert(k.width === keys.width && v.width === values.width, `${keys.name}: cache row width`);
    this.add({ op: "store_kv", inputs: [k, v], outputs: [], keys, values });
  }

  /** Appends rows to a cache whose keys contain the values. */
  storeKeys(k: Value, keys: StateSlot): void {
    assert(k.width === keys.width, `${keys.name}: cache row width`);
    this.add({ op: "store_kv", inputs: [k], outputs: [], keys });
  }

  /** Attention of the batch over the cache. */
  attention(q: Value, options: AttentionOptions): Value {
    const { heads, kvHeads, headDim, valueDim = headDim } = options;
    assert(q.width === heads * headDim, `${q.name}: ${heads} heads of ${headDim}`);
    assert(heads % kvHeads === 0, `${heads} heads over ${kvHeads} key heads`);
    const y = this.value(`attention(${q.name})`, q.rows, heads * valueDim);
    const { window = 0, chunk = 0, causal = true, softcap = 0 } = options;
    this.add({
      op: "attention",
      inputs: [q],
      outputs: [y],
      ...options,
      valueDim,
      window,
      chunk,
      causal: causal && !options.encoder,
      softcap,
    });
    return y;
  }

  /** `activation(gate) * up`. */
  gated(gate: Value, up: Value, activation: Activation): Value {
    assert(gate.width === up.width, `${gate.name} and ${up.name} differ in width`);
    const y = this.value(`gated(${gate.name})`, gate.rows, gate.width);
    this.add({ op: "gated", inputs: [gate, up], outputs: [y], activation });
    return y;
  }

  /** `a + scale * b`. */
  sum(a: Value, b: Value, scale = 1): Value {
    assert(a.width === b.width && a.rows === b.rows, `${a.name} and ${b.name} differ in shape`);
    const y = this.value(`sum(${a.name}, ${b.name})`, a.rows, a.width);
    this.add({ op: "add", inputs: [a, b], outputs: [y], scale });
    return y;
  }

  /** `scale * f(inner * x)`, element by element. */
  map(x: Value, f: MapFunction, options: { inner?: number; scale?: number } = {}): Value {
    const y = this.value(`${f.kind}(${x.name})`, x.rows, x.width);
    const { inner = 1, scale = 1 } = options;
    this.add({ op: "map", inputs: [x], outputs: [y], function: f, inner, scale });
    return y;
  }

  /** `cap * tanh(x / cap)`. */
  softcap(x: Value, cap: number): Value {
    return this.map(x, { kind: "tanh" }, { inner: 1 / cap, scale: cap });
  }

  /** `factor * x`; `x` itself for the factor 1. */
  scale(x: Value, factor: number): Value {
    return factor === 1 ? x : this.map(x, { kind: "none" }, { scale: factor });
  }

  #view(x: Value, change: Partial<Value>): Value {
    const view: Value = { ...x, ...change, id: this.#values.length };
    this.#values.push(view);
    return view;
  }
}
