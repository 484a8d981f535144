/**
 * What an operation of the graph is: a typed node, a readable reference and a GPU form.
 *
 * Every operation lives in one file of this folder that declares its node type and exports one `Operation`. The
 * registry lists them; both executors run a graph by looking up `node.op` there. Activations are float32 matrices
 * `[rows, width]`, one row per token unless said otherwise; weights stay in their block formats.
 */
import type { FormatName } from "../quant/formats.ts";
import type { DeviceBuffer, Span } from "../vulkan/mod.ts";
import type { KernelSet } from "./kernel_set.ts";
import type { CacheType } from "./cache_types.ts";

/**
 * A matrix of activations `[rows, width]`, float32, row r starting at element `offset + r * stride` of the storage of
 * `root`. A value that owns its storage is its own root; column slices are views of another value.
 */
export interface Value {
  /** Unique in its graph; the index into the executor's tables. */
  readonly id: number;
  /** For debugging and error messages, e.g. `blk.3.attn_q`. */
  readonly name: string;
  readonly rows: number;
  readonly width: number;
  /** The value that owns the storage. */
  readonly root: Value;
  /** First element inside the root's row. */
  readonly offset: number;
  /** Elements from one row to the next: the root's width. */
  readonly stride: number;
}

/**
 * A tensor of the model, `[experts, rows, columns]` with `experts` = 1 for everything but routed experts. Columns are
 * the contiguous dimension (`ne[0]` of the file). Constants made by zinc (rotary frequencies, ALiBi slopes) are weights too.
 */
export interface Weight {
  readonly name: string;
  readonly format: FormatName;
  readonly experts: number;
  readonly rows: number;
  readonly columns: number;
}

/** Memory that outlives a forward pass: the KV cache of a layer, the state of a recurrent layer. */
export interface StateSlot {
  /** Index into the session's state table. */
  readonly id: number;
  readonly name: string;
  /** `kv`: one row per position. `recurrent`: one row per sequence, float32. */
  readonly kind: "kv" | "recurrent";
  /** Elements per row. */
  readonly width: number;
  /** Says which of the session's cache types a `kv` slot is stored as; one that says nothing is float32. */
  readonly holds?: "keys" | "values";
}

/** Fields that every node has. */
export interface NodeBase {
  readonly op: string;
  /** Activations read, in the operation's order; used for liveness and hazards. */
  readonly inputs: readonly Value[];
  /** Activations written. */
  readonly outputs: readonly Value[];
}

/** The tokens of one forward pass. Row r of every activation belongs to `tokens[r]` at position `position + r`. */
export interface Batch {
  readonly tokens: Int32Array;
  /** Position of the first token: how many are in the cache already. */
  readonly position: number;
  /** Rows that the encoder has left for cross attention; absent for models without an encoder. */
  readonly encoderLength?: number;
}

/** A strided float32 matrix in JavaScript memory. */
export interface Matrix {
  readonly data: Float32Array;
  readonly rows: number;
  readonly width: number;
  readonly offset: number;
  readonly stride: number;
}

/** What a reference implementation can see. */
export interface ReferenceContext {
  readonly batch: Batch;
  matrix(value: Value): Matrix;
  /** All elements decoded to float32, `[experts * rows, columns]`; decoded once and kept. */
  weight(weight: Weight): Float32Array;
  /** One decoded row, for tables too large to decode whole. Valid until the next call. */
  weightRow(weight: Weight, row: number): Float32Array;
  /** `[contextLength, width]` for a KV slot, `[width]` for a recurrent one. */
  state(slot: StateSlot): Float32Array;
  /** The type whose numbers a KV slot holds, although as float32. */
  cacheType(slot: StateSlot): CacheType;
}

/** A weight in device memory. */
export interface DeviceWeight {
  readonly format: FormatName;
  readonly span: Span;
  /** Blocks of the whole tensor: the distance between planes. */
  readonly blocks: number;
}

/** An activation in device memory: `span` starts at the first element of row 0. */
export interface DeviceMatrix {
  readonly span: Span;
  readonly rows: number;
  readonly width: number;
  /** Elements between rows. */
  readonly stride: number;
}

/** Storage of a slot. */
export interface DeviceState {
  readonly span: Span;
  /** What a KV slot is stored as. */
  readonly type: CacheType;
}

/** What a GPU form can see while it records its dispatches. */
export interface GpuContext {
  readonly kernels: KernelSet;
  readonly recorder: import("../vulkan/mod.ts").Recorder;
  /** Position, token ids and flags of the running step; see `step_buffer.ts`. */
  readonly step: Span;
  /** Largest number of cached positions (this batch included) that the recorded plan must serve. */
  readonly contextBucket: number;
  matrix(value: Value): DeviceMatrix;
  weight(weight: Weight): DeviceWeight;
  state(slot: StateSlot): DeviceState;
  /** Scratch memory that lives until the end of the node's dispatches. */
  scratch(bytes: number): Span;
  /** `count` integers of 32 bits that are 0 and that the node's dispatches leave 0: workgroups count themselves there. */
  tickets(count: number): Span;
}

/** One operation: what its nodes look like and the two ways to run them. */
export interface Operation<N extends NodeBase> {
  readonly op: N["op"];
  /** Computes the outputs in float32 with loops that read like the formula. */
  reference(node: N, context: ReferenceContext): void;
  /** Records the dispatches that compute the outputs. */
  record(node: N, gpu: GpuContext): void;
}

/** A buffer that a span lies in. */
export type { DeviceBuffer, Span };
