/**
 * The model's weights in device memory, stored plane by plane (see `quant/planes.ts`).
 *
 * The file is read piece by piece; a piece is split into planes on the way, straight into device memory where the
 * host can see it. Nothing larger than one piece is held twice. Vectors become float32, as kernels read them.
 */
import { assert } from "../common/assert.ts";
import type { GgufFile, TensorInfo } from "../gguf/mod.ts";
import type { DeviceWeight, Weight } from "../kernels/operation.ts";
import { blockCount, decodeTensor, FORMATS } from "../quant/formats.ts";
import { deviceBytes, planeCopies, splitPlanes } from "../quant/planes.ts";
import { type Device, type DeviceBuffer, span, Uploader } from "../vulkan/mod.ts";

/** Bytes of the file that are read and split at a time. */
const PIECE_BYTES = 8 << 20;

/** A weight that zinc computed. */
export interface Constant extends Weight {
  readonly data: Float32Array;
}

/** Bytes that the weights take on the device. */
export function weightBytes(weights: Iterable<Weight>): number {
  let bytes = 0;
  for (const weight of weights) bytes += deviceBytes(weight.format, elementsOf(weight));
  return bytes;
}

/** Owns one buffer per weight. */
export class DeviceWeights implements Disposable {
  readonly #entries = new Map<string, { buffer: DeviceBuffer; weight: DeviceWeight }>();

  /** Uploads all weights of `file` and the constants. */
  static async upload(
    device: Device,
    file: GgufFile,
    weights: Iterable<Weight>,
    constants: Iterable<Constant>,
    onProgress?: (doneBytes: number, totalBytes: number) => void,
  ): Promise<DeviceWeights> {
    const loaded = new DeviceWeights();
    using uploader = new Uploader(device);
    const list = [...weights];
    const total = list.reduce((sum, weight) => sum + file.tensors.get(weight.name)!.bytes, 0);
    let done = 0;
    try {
      for (const constant of constants) {
        await uploadFloats(uploader, constant.data, loaded.#allocate(device, constant));
      }
      for (const weight of list) {
        await uploadWeight(uploader, file, weight, loaded.#allocate(device, weight), (bytes) => {
          done += bytes;
          onProgress?.(done, total);
        });
      }
      return loaded;
    } catch (error) {
      loaded[Symbol.dispose]();
      throw error;
    }
  }

  /** Where a weight lies. */
  get(weight: Weight): DeviceWeight {
    const entry = this.#entries.get(weight.name);
    assert(entry, `weight "${weight.name}" was not uploaded`);
    return entry.weight;
  }

  [Symbol.dispose](): void {
    for (const { buffer } of this.#entries.values()) buffer[Symbol.dispose]();
    this.#entries.clear();
  }

  #allocate(device: Device, weight: Weight): DeviceWeight {
    const elements = elementsOf(weight);
    const bytes = deviceBytes(weight.format, elements);
    const buffer = device.createBuffer({ bytes, kind: "weights", label: weight.name });
    const placed = {
      format: weight.format,
      span: span(buffer, 0, bytes),
      blocks: blockCount(weight.format, elements),
    };
    this.#entries.set(weight.name, { buffer, weight: placed });
    return placed;
  }
}

async function uploadWeight(
  uploader: Uploader,
  file: GgufFile,
  weight: Weight,
  target: DeviceWeight,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const info = file.tensors.get(weight.name)!;
  if (info.format !== weight.format) {
    const values = decodeTensor(info.format!, readBytes(file, info), info.elements);
    await uploadFloats(uploader, values, target);
    return onBytes(info.bytes);
  }
  const { blockBytes } = FORMATS[weight.format];
  const { buffer } = target.span;
  const blocksPerPiece = Math.max(1, Math.floor(PIECE_BYTES / blockBytes));
  for (let first = 0; first < target.blocks; first += blocksPerPiece) {
    const blocks = Math.min(blocksPerPiece, target.blocks - first);
    const raw = new Uint8Array(blocks * blockBytes);
    file.readTensor(info, raw, first * blockBytes);
    if (buffer.mapped) splitPlanes(weight.format, raw, first, blocks, target.blocks, buffer.mapped);
    else {
      const split = new Uint8Array(deviceBytes(weight.format, blocks * FORMATS[weight.format].blockLength));
      splitPlanes(weight.format, raw, 0, blocks, blocks, split);
      for (const { from, to, bytes } of planeCopies(weight.format, first, blocks, target.blocks)) {
        await uploader.upload(span(buffer, to, bytes), (into, offset) => {
          into.set(split.subarray(from + offset, from + offset + into.length));
        });
      }
    }
    onBytes(raw.length);
  }
}

async function uploadFloats(uploader: Uploader, values: Float32Array, target: DeviceWeight): Promise<void> {
  assert(target.format === "f32", "only float32 is made on the host");
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  await uploader.upload(span(target.span.buffer, 0, bytes.length), (into, offset) => {
    into.set(bytes.subarray(offset, offset + into.length));
  });
}

function readBytes(file: GgufFile, info: TensorInfo): Uint8Array {
  const bytes = new Uint8Array(info.bytes);
  file.readTensor(info, bytes);
  return bytes;
}

function elementsOf(weight: Weight): number {
  return weight.experts * weight.rows * weight.columns;
}
