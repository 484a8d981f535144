/**
 * Runs one node on the device and in its readable form and compares.
 *
 * A `Lab` makes values, weights and states with seeded random contents for a node, records the node's dispatches, and
 * gives back both results. The device and its pipelines are shared by the tests of a file, because a software driver
 * compiles slowly; after the last test the validation layer must have been silent and nothing may be left over.
 */
import type { CacheType } from "../../src/kernels/cache_types.ts";
import { cacheRowBytes, throughCache } from "../../src/kernels/kv_cache.ts";
import type { Matrix, Operation, StateSlot, Value, Weight } from "../../src/kernels/operation.ts";
import type { Batch, GpuContext, NodeBase, ReferenceContext } from "../../src/kernels/operation.ts";
import { KernelSet, type KernelSetOptions } from "../../src/kernels/kernel_set.ts";
import { stepBytes, writeStep } from "../../src/kernels/step_buffer.ts";
import { blockCount, decodeTensor, type FormatName, FORMATS, tensorBytes } from "../../src/quant/formats.ts";
import { deviceBytes, planeOffset, splitPlanes } from "../../src/quant/planes.ts";
import { Device, type DeviceBuffer, Instance, Recorder, type Span, span } from "../../src/vulkan/mod.ts";
import { Uploader, validationAvailable } from "../../src/vulkan/mod.ts";
import { assert, assertEquals } from "../support/assert.ts";

/** The device of a test file, open from the first to the last test. */
export interface Bench {
  readonly device: Device;
  /** A laboratory for one test, with a kernel set of its own over the shared pipelines. */
  lab(options?: KernelSetOptions): Lab;
}

/** Opens the device before the tests of the calling file, and checks and closes it after them. */
export function openBench(): Bench {
  let instance: Instance;
  let device: Device;
  Deno.test.beforeAll(() => {
    instance = Instance.create({ validation: validationAvailable() });
    device = Device.create(instance.adapters()[0]);
  });
  Deno.test.afterAll(async () => {
    const { liveObjects } = device;
    await device[Symbol.asyncDispose]();
    instance[Symbol.dispose]();
    assertEquals(liveObjects, 0, "objects were left behind");
    assertEquals(instance.validationMessages, []);
  });
  return {
    get device() {
      return device;
    },
    lab: (options) => new Lab(device, new KernelSet(device, options)),
  };
}

/** Both results of a node, output after output, rows packed. */
export interface Results {
  readonly actual: Float32Array;
  readonly expected: Float32Array;
}

/** Kernels that a test of products with experts runs on, and how close they come. */
export interface ProductForm {
  readonly options?: KernelSetOptions;
  /** Share of the largest output. */
  readonly tolerance: number;
}

/** What the device would choose, whose sums of a few hundred products differ in their order only; and the kernels of GPUs, which round x. */
export const PRODUCT_FORMS: readonly ProductForm[] = [
  { tolerance: 5e-6 },
  { options: { strategy: "teams", dots: "all" }, tolerance: 1e-4 },
];

/** Where and how a node runs. */
export interface RunOptions {
  /** Default: token ids 0, 1, 2 ... at position 0. */
  readonly batch?: Batch;
  /** Default: exactly what the batch needs. */
  readonly contextBucket?: number;
  /** Whether the step is marked as stopped for the device. */
  readonly stopped?: boolean;
}

interface Held {
  readonly buffer: DeviceBuffer;
  readonly data: Float32Array;
}

/** Makes operands for one node and runs it. Dispose it at the end of the test. */
export class Lab implements Disposable {
  readonly kernels: KernelSet;
  readonly #device: Device;
  readonly #random = randomNumbers(1);
  readonly #values = new Map<Value, Float32Array>();
  readonly #weights = new Map<Weight, { bytes: Uint8Array; data: Float32Array }>();
  readonly #states = new Map<StateSlot, Float32Array>();
  readonly #cacheTypes = new Map<StateSlot, CacheType>();
  readonly #buffers: DeviceBuffer[] = [];

  constructor(device: Device, kernels: KernelSet) {
    this.#device = device;
    this.kernels = kernels;
  }

  /** A value `[rows, width]` that owns its storage, filled with `fill(i)` or numbers between -1 and 1. */
  value(rows: number, width: number, fill: (i: number) => number = () => this.random()): Value {
    const id = this.#values.size;
    const value = { id, name: `value${id}`, rows, width, offset: 0, stride: width } as {
      -readonly [K in keyof Value]: Value[K];
    };
    value.root = value;
    this.#values.set(value, Float32Array.from({ length: rows * width }, (_, i) => fill(i)));
    return value;
  }

  /** Columns `[start, start + width)` of a value. */
  columns(value: Value, start: number, width: number): Value {
    return { ...value, root: value.root, width, offset: value.offset + start };
  }

  /** A weight `[rows, columns]` encoded from numbers between -1 and 1, or from `values`. */
  weight(format: FormatName, rows: number, columns: number, values?: ArrayLike<number>): Weight {
    return this.experts(format, 1, rows, columns, values);
  }

  /** A stack of weights `[experts, rows, columns]`, filled like one. */
  experts(
    format: FormatName,
    experts: number,
    rows: number,
    columns: number,
    values?: ArrayLike<number>,
  ): Weight {
    const weight: Weight = {
      name: `${format} weight ${this.#weights.size}`,
      format,
      experts,
      rows,
      columns,
    };
    const elements = experts * rows * columns;
    const bytes = encoded(
      format,
      Float32Array.from({ length: elements }, (_, i) => values?.[i] ?? this.random()),
    );
    this.#weights.set(weight, { bytes, data: decodeTensor(format, bytes, elements) });
    return weight;
  }

  /** A KV slot of `length` rows of `width` elements, stored as `type` on the device and rounded to it in both forms. */
  kv(length: number, width: number, type: CacheType = "f32"): StateSlot {
    const id = this.#states.size;
    const slot: StateSlot = { id, name: `kv${id}`, kind: "kv", width };
    const data = new Float32Array(length * width);
    for (let r = 0; r < length; r++) {
      data.set(throughCache(type, Float32Array.from({ length: width }, () => this.random())), r * width);
    }
    this.#states.set(slot, data);
    this.#cacheTypes.set(slot, type);
    return slot;
  }

  /** A recurrent slot of `width` numbers between -1 and 1. */
  recurrent(width: number): StateSlot {
    const id = this.#states.size;
    const slot: StateSlot = { id, name: `recurrent${id}`, kind: "recurrent", width };
    this.#states.set(slot, Float32Array.from({ length: width }, () => this.random()));
    return slot;
  }

  /** What a state holds before or after a run, as the reference left it. */
  stateOf(slot: StateSlot): Float32Array {
    return this.#states.get(slot)!;
  }

  /** A number between -1 and 1. */
  random(): number {
    return this.#random() * 2 - 1;
  }

  /** Runs `node` both ways; also compares what they leave in the states. */
  async run<N extends NodeBase>(
    operation: Operation<N>,
    node: N,
    options: RunOptions = {},
  ): Promise<Results> {
    const rows = node.outputs[0]?.rows ?? node.inputs[0].rows;
    const batch = options.batch ?? { position: 0, tokens: Int32Array.from({ length: rows }, (_, i) => i) };
    const actual = await this.#runOnDevice(operation, node, batch, options);
    operation.reference(node, this.#referenceContext(batch));
    const outputs = node.outputs.map((value) => pack(this.#matrix(value)));
    const states = [...this.#states.values()];
    return { actual, expected: concat([...outputs, ...states]) };
  }

  [Symbol.dispose](): void {
    for (const buffer of this.#buffers.splice(0)) buffer[Symbol.dispose]();
  }

  #matrix({ root, rows, width, offset, stride }: Value): Matrix {
    return { data: this.#values.get(root)!, rows, width, offset, stride };
  }

  #referenceContext(batch: Batch): ReferenceContext {
    return {
      batch,
      matrix: (value) => this.#matrix(value),
      weight: (weight) => this.#weights.get(weight)!.data,
      weightRow: (weight, row) =>
        this.#weights.get(weight)!.data.subarray(row * weight.columns, (row + 1) * weight.columns),
      state: (slot) => this.#states.get(slot)!,
      cacheType: (slot) => this.#cacheTypeOf(slot),
    };
  }

  async #runOnDevice<N extends NodeBase>(
    operation: Operation<N>,
    node: N,
    batch: Batch,
    { contextBucket = batch.position + batch.tokens.length, stopped = false }: RunOptions,
  ): Promise<Float32Array> {
    const values = new Map<Value, Held>();
    for (const [value, data] of this.#values) {
      values.set(value, { buffer: await this.#upload(data, "activations"), data });
    }
    const weights = new Map<Weight, DeviceBuffer>();
    for (const [weight, { bytes }] of this.#weights) {
      weights.set(weight, await this.#uploadWeight(weight, bytes));
    }
    const states = new Map<StateSlot, DeviceBuffer>();
    for (const [slot, data] of this.#states) {
      states.set(slot, await this.#upload(cacheBytes(this.#cacheTypeOf(slot), slot, data), "activations"));
    }
    const step = new Uint8Array(stepBytes(batch.tokens.length));
    writeStep(new DataView(step.buffer), batch.position, batch.tokens, {
      encoderLength: batch.encoderLength,
      stopped: Number(stopped),
    });
    const stepSpan = span(await this.#upload(step, "activations"));
    using recorder = new Recorder(this.#device, { label: node.op });
    const gpu: GpuContext = {
      kernels: this.kernels,
      recorder,
      step: stepSpan,
      contextBucket,
      matrix: ({ root, rows, width, offset, stride }) => {
        const bytes = ((rows - 1) * stride + width) * 4;
        return { span: span(values.get(root)!.buffer, offset * 4, bytes), rows, width, stride };
      },
      weight: (weight) => ({
        format: weight.format,
        span: span(weights.get(weight)!),
        blocks: blockCount(weight.format, weight.rows * weight.columns * weight.experts),
      }),
      state: (slot) => ({
        span: span(states.get(slot)!),
        type: this.#cacheTypeOf(slot),
      }),
      scratch: (bytes) => span(this.#buffer(bytes, "activations")),
      tickets: (count) => {
        const tickets = span(this.#buffer(count * 4, "activations"));
        recorder.fill(tickets, 0);
        return tickets;
      },
    };
    operation.record(node, gpu);
    using commands = recorder.finish();
    await this.#device.wait(this.#device.submit([commands]));
    const outputs: Float32Array[] = [];
    for (const value of node.outputs) {
      const data = await this.#readFloats(span(values.get(value.root)!.buffer));
      const { rows, width, offset, stride } = value;
      outputs.push(pack({ data, rows, width, offset, stride }));
    }
    for (const [slot, buffer] of states) {
      outputs.push(cachedNumbers(this.#cacheTypeOf(slot), slot, await this.#device.readback(span(buffer))));
    }
    return concat(outputs);
  }

  #cacheTypeOf(slot: StateSlot): CacheType {
    return this.#cacheTypes.get(slot) ?? "f32";
  }

  async #readFloats(part: Span): Promise<Float32Array> {
    return new Float32Array((await this.#device.readback(part)).buffer);
  }

  #buffer(bytes: number, kind: "activations" | "weights"): DeviceBuffer {
    const buffer = this.#device.createBuffer({ bytes, kind, label: "test" });
    this.#buffers.push(buffer);
    return buffer;
  }

  async #upload(
    data: Float32Array | Float16Array | Uint8Array,
    kind: "activations" | "weights",
  ): Promise<DeviceBuffer> {
    const buffer = this.#buffer(data.byteLength, kind);
    using uploader = new Uploader(this.#device, { chunkBytes: data.byteLength, slots: 1 });
    await uploader.write(span(buffer), new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    return buffer;
  }

  #uploadWeight({ format, rows, columns, experts }: Weight, bytes: Uint8Array): Promise<DeviceBuffer> {
    const elements = rows * columns * experts;
    const blocks = blockCount(format, elements);
    const planes = new Uint8Array(deviceBytes(format, elements));
    splitPlanes(format, bytes, 0, blocks, blocks, planes);
    return this.#upload(planes, "weights");
  }
}

/** Rows of a slot as they lie on the device. */
function cacheBytes(type: CacheType, { width }: StateSlot, data: Float32Array): Uint8Array {
  const stride = cacheRowBytes(type, width);
  const bytes = new Uint8Array(data.length / width * stride);
  for (let r = 0; r < data.length / width; r++) {
    const row = data.subarray(r * width, (r + 1) * width);
    const blocks = blockCount(type, width);
    const file = new Uint8Array(tensorBytes(type, width));
    FORMATS[type].encode!(row, file);
    const planes = new Uint8Array(deviceBytes(type, width));
    splitPlanes(type, file, 0, blocks, blocks, planes);
    bytes.set(planes.subarray(0, stride), r * stride);
  }
  return bytes;
}

/** The numbers in a slot as it lies on the device. */
function cachedNumbers(type: CacheType, { width }: StateSlot, bytes: Uint8Array): Float32Array {
  const stride = cacheRowBytes(type, width);
  const { planes, blockBytes } = FORMATS[type];
  const rows: Float32Array[] = [];
  for (let start = 0; start + stride <= bytes.length; start += stride) {
    const file = new Uint8Array(tensorBytes(type, width));
    for (const [i, plane] of planes.entries()) {
      const from = start + planeOffset(type, width, i);
      for (let b = 0; b < blockCount(type, width); b++) {
        const field = bytes.subarray(from + b * plane.bytes, from + (b + 1) * plane.bytes);
        file.set(field, b * blockBytes + plane.offset);
      }
    }
    rows.push(decodeTensor(type, file, width));
  }
  return concat(rows);
}

/** Fails unless the results agree within `tolerance` of the largest expected magnitude (or of 1, if that is larger). */
export function assertClose({ actual, expected }: Results, tolerance: number, label = ""): void {
  assertEquals(actual.length, expected.length);
  const magnitude = expected.reduce((most, value) => Math.max(most, Math.abs(value)), 1);
  let worst = 0;
  let at = 0;
  for (let i = 0; i < expected.length; i++) {
    const difference = Math.abs(actual[i] - expected[i]);
    if (!(difference <= worst)) [worst, at] = [difference, i];
    if (Number.isNaN(difference)) break;
  }
  assert(
    worst <= tolerance * magnitude,
    `${label} error ${worst / magnitude} > ${tolerance}: element ${at} is ${actual[at]}, expected ${
      expected[at]
    }`,
  );
}

/** Numbers between 0 and 1, the same for the same seed: mulberry32. */
export function randomNumbers(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** File bytes of `values`; for formats without an encoder, random blocks whose weights have a moderate size. */
function encoded(format: FormatName, values: Float32Array): Uint8Array {
  const bytes = new Uint8Array(tensorBytes(format, values.length));
  const { encode, blockBytes } = FORMATS[format];
  if (encode) {
    encode(values, bytes);
    return bytes;
  }
  const random = randomNumbers(values.length);
  for (let at = 0; at < bytes.length; at += blockBytes) bytes.set(randomBlock(format, random), at);
  return bytes;
}

function randomBlock(format: FormatName, random: () => number): Uint8Array {
  const { blockBytes, blockLength, decode } = FORMATS[format];
  const block = new Uint8Array(blockBytes);
  const values = new Float32Array(blockLength);
  for (;;) {
    for (let i = 0; i < blockBytes; i++) block[i] = Math.floor(random() * 256);
    decode(block, 1, values, 0);
    const peak = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    if (peak > 0.05 && peak < 5) return block;
  }
}

function pack({ data, rows, width, offset, stride }: Matrix): Float32Array {
  return concat(
    Array.from({ length: rows }, (_, r) => data.subarray(offset + r * stride, offset + r * stride + width)),
  );
}

function concat(parts: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
