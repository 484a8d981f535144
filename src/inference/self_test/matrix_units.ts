/**
 * Do this device's matrix units compute right? Drivers have been seen to list shapes that give wrong numbers without an error
 * (https://github.com/ggml-org/llama.cpp/issues/10734), which a user meets as text without sense. So before the kernels that
 * use them run a model, each of them answers one small question whose answer is known, once for every driver.
 */
import { UserError } from "../../common/errors.ts";
import { attention, type AttentionNode } from "../../kernels/attention.ts";
import { KernelSet } from "../../kernels/kernel_set.ts";
import { matmul, type MatmulNode } from "../../kernels/matmul.ts";
import type {
  GpuContext,
  NodeBase,
  Operation,
  ReferenceContext,
  StateSlot,
  Value,
  Weight,
} from "../../kernels/operation.ts";
import { stepBytes, writeStep } from "../../kernels/step_buffer.ts";
import {
  type Device,
  type DeviceBuffer,
  DeviceLostError,
  Recorder,
  span,
  Uploader,
} from "../../vulkan/mod.ts";
import { relativeError } from "./relative_error.ts";
import { rememberedProof } from "./remembered_proof.ts";
import { noise } from "./weights.ts";

const TOKENS = 40;
const COLUMNS = 96;
const ROWS = 80;
const HEADS = { heads: 4, kvHeads: 2, headDim: 64, valueDim: 64 } as const;
/** Largest error, as a share of the largest element, that rounding to float16 explains. */
export const MATRIX_UNIT_TOLERANCE = 5e-3;

/** A kernel that uses matrix units. */
export interface MatrixUnitCase {
  readonly name: string;
  /** Its error on `device`, as a share of the largest element; NaN when a result is not a number. */
  errorOn(device: Device): Promise<number>;
}

/** What a node reads and writes, by value, weight or state. */
type Operands = ReadonlyMap<Value | Weight | StateSlot, Float32Array>;

/** All kernels that use matrix units. */
export const MATRIX_UNIT_CASES: readonly MatrixUnitCase[] = [
  {
    name: "matmul on matrix units",
    errorOn: (device) => {
      const node = productNode();
      return errorOf(device, matmul, node, [
        [node.inputs[0], noise("x", TOKENS * COLUMNS)],
        [node.weight, asFloat16(noise("weight", ROWS * COLUMNS))],
      ]);
    },
  },
  {
    name: "attention on matrix units",
    errorOn: (device) => {
      const node = attentionNode();
      return errorOf(device, attention, node, [
        [node.inputs[0], noise("queries", TOKENS * node.inputs[0].width)],
        [node.keys, asFloat16(noise("keys", TOKENS * node.keys.width))],
        [node.values, asFloat16(noise("values", TOKENS * node.values.width))],
      ]);
    },
  },
];

/**
 * The kernels for `device`: without matrix units, and with a warning, where `areRight` finds them wrong. Devices without
 * matrix units, and those on which no kernel would use them, are not asked.
 */
export async function provenKernels(
  device: Device,
  onWarning: (message: string) => void,
  areRight: (device: Device) => Promise<boolean> = wereOrAreRight,
): Promise<KernelSet> {
  const kernels = new KernelSet(device);
  if (!kernels.coopmat || kernels.strategy !== "teams" || await areRight(device)) return kernels;
  const { name, driverInfo } = device.info;
  onWarning(
    `the matrix units of ${name} do not work (${driverInfo}): prompts are processed without`,
  );
  return new KernelSet(device, { coopmat: false });
}

function wereOrAreRight(device: Device): Promise<boolean> {
  return rememberedProof(device.adapter, () => matrixUnitsAreRight(device));
}

/** Whether the driver takes every kernel that uses matrix units, and each gives its known answer. */
export async function matrixUnitsAreRight(device: Device): Promise<boolean> {
  try {
    for (const { errorOn } of MATRIX_UNIT_CASES) {
      if (!(await errorOn(device) <= MATRIX_UNIT_TOLERANCE)) return false;
    }
    return true;
  } catch (error) {
    if (!(error instanceof UserError) || error instanceof DeviceLostError) throw error;
    return false;
  }
}

function productNode(): MatmulNode {
  return {
    op: "matmul",
    inputs: [value(0, COLUMNS)],
    outputs: [value(1, ROWS)],
    weight: { name: "weight", format: "f16", experts: 1, rows: ROWS, columns: COLUMNS },
    activation: "none",
    scale: 1,
  };
}

function attentionNode(): AttentionNode {
  const { heads, kvHeads, headDim, valueDim } = HEADS;
  return {
    op: "attention",
    inputs: [value(2, heads * headDim)],
    outputs: [value(3, heads * valueDim)],
    keys: { id: 0, name: "keys", kind: "kv", width: kvHeads * headDim },
    values: { id: 1, name: "values", kind: "kv", width: kvHeads * valueDim },
    ...HEADS,
    scale: 1,
    window: 0,
    chunk: 0,
    causal: true,
    softcap: 0,
  };
}

function value(id: number, width: number): Value {
  const made = { id, name: `value ${id}`, rows: TOKENS, width, offset: 0, stride: width } as {
    -readonly [K in keyof Value]: Value[K];
  };
  made.root = made;
  return made;
}

function asFloat16(values: Float32Array): Float32Array {
  return Float32Array.from(new Float16Array(values));
}

function referenceContext(operands: Operands): ReferenceContext {
  return {
    batch: { tokens: new Int32Array(TOKENS), position: 0 },
    matrix: (value) => ({ ...value, data: operands.get(value)! }),
    weight: (weight) => operands.get(weight)!,
    weightRow: (weight, row) =>
      operands.get(weight)!.subarray(row * weight.columns, (row + 1) * weight.columns),
    state: (slot) => operands.get(slot)!,
    cacheType: () => "f32",
  };
}

/** Runs `node` on the device, forced onto matrix units, and in its readable form. Weights and states are float16 on the device. */
async function errorOf<N extends NodeBase>(
  device: Device,
  operation: Operation<N>,
  node: N,
  inputs: Iterable<[Value | Weight | StateSlot, Float32Array]>,
): Promise<number> {
  const [output] = node.outputs;
  const operands: Operands = new Map([...inputs, [output, new Float32Array(TOKENS * output.width)]]);
  const actual = await runOnDevice(device, operands, output, (gpu) => operation.record(node, gpu));
  operation.reference(node, referenceContext(operands));
  return relativeError(actual, operands.get(output)!);
}

/** What `record` leaves in `output`. */
async function runOnDevice(
  device: Device,
  operands: Operands,
  output: Value,
  record: (gpu: GpuContext) => void,
): Promise<Float32Array> {
  const kernels = new KernelSet(device, { strategy: "teams", coopmat: true, busyWorkgroups: 1 });
  using owned = new DisposableStack();
  const upload = async (
    data: Float32Array | Float16Array | Uint8Array,
    kind: "activations" | "weights" = "activations",
  ): Promise<DeviceBuffer> => {
    const bytes = data.byteLength;
    const buffer = owned.use(device.createBuffer({ bytes, kind, label: "known answer" }));
    using uploader = new Uploader(device, { chunkBytes: bytes, slots: 1 });
    await uploader.write(span(buffer), new Uint8Array(data.buffer, data.byteOffset, bytes));
    return buffer;
  };
  const buffers = new Map<Value | Weight | StateSlot, DeviceBuffer>();
  for (const [key, data] of operands) {
    const stored = "stride" in key ? data : new Float16Array(data);
    buffers.set(key, await upload(stored, "format" in key ? "weights" : "activations"));
  }
  const step = new Uint8Array(stepBytes(TOKENS));
  writeStep(new DataView(step.buffer), 0, new Int32Array(TOKENS));
  const stepSpan = span(await upload(step));
  const scratch = (bytes: number) =>
    span(owned.use(device.createBuffer({ bytes, kind: "activations", label: "known answer" })));
  using recorder = new Recorder(device, { label: "known answers of matrix units" });
  record({
    kernels,
    recorder,
    step: stepSpan,
    contextBucket: TOKENS,
    matrix: (value) => ({
      span: span(buffers.get(value)!),
      rows: value.rows,
      width: value.width,
      stride: value.stride,
    }),
    weight: (weight) => ({
      format: weight.format,
      span: span(buffers.get(weight)!),
      blocks: weight.rows * weight.columns,
    }),
    state: (slot) => ({ span: span(buffers.get(slot)!), type: "f16" }),
    scratch,
    tickets: (count) => scratch(4 * count),
  });
  using commands = recorder.finish();
  await device.wait(device.submit([commands]));
  return new Float32Array((await device.readback(span(buffers.get(output)!))).buffer);
}
