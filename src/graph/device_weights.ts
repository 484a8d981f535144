/**
 * The model's weights in device memory, stored plane by plane (see `quant/planes.ts`).
 *
 * Formats of one plane are read from the file straight into device memory where the host can see it, else into staging
 * memory. The others are read piece by piece into one reused array and split from there into the same places. Nothing
 * larger than a staging buffer is held twice, but for vectors that become float32, as kernels read them.
 */
import { assert } from "../common/assert.ts";
import type { GgufFile, TensorInfo } from "../gguf/mod.ts";
import type { DeviceWeight, Weight } from "../kernels/operation.ts";
import { blockCount, decodeTensor, FORMATS } from "../quant/formats.ts";
import { deviceBytes, isStoredAsInFile, planeCopies, splitPlanes } from "../quant/planes.ts";
import { type Device, type DeviceBuffer, span, Uploader } from "../vulkan/mod.ts";

/** Bytes of the file that are read and split at a time: few enough to be still in the processor's cache. */
const PIECE_BYTES = 1 << 20;

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
    const source = new TensorSource(file, (bytes) => onProgress?.(done += bytes, total));
    try {
      for (const constant of constants) {
        await uploadFloats(uploader, constant.data, loaded.#allocate(device, constant));
      }
      for (const weight of list) {
        await source.upload(uploader, weight, loaded.#allocate(device, weight));
      }
      uploader.flush();
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

/** Reads the tensors of one file and hands them to an uploader. */
class TensorSource {
  readonly #file: GgufFile;
  readonly #onBytes: (bytes: number) => void;
  /** A piece of the file that is to be split. */
  readonly #piece = new Uint8Array(PIECE_BYTES);

  constructor(file: GgufFile, onBytes: (bytes: number) => void) {
    this.#file = file;
    this.#onBytes = onBytes;
  }

  async upload(uploader: Uploader, weight: Weight, target: DeviceWeight): Promise<void> {
    const info = this.#file.tensors.get(weight.name)!;
    if (info.format !== weight.format) {
      const bytes = new Uint8Array(info.bytes);
      this.#read(info, bytes);
      await uploadFloats(uploader, decodeTensor(info.format!, bytes, info.elements), target);
    } else if (isStoredAsInFile(weight.format)) {
      const bytes = span(target.span.buffer, 0, info.bytes);
      await uploader.add(bytes, (into, offset) => this.#read(info, into, offset));
    } else {
      await this.#uploadPlanes(uploader, info, target);
    }
  }

  async #uploadPlanes(uploader: Uploader, info: TensorInfo, target: DeviceWeight): Promise<void> {
    const { format, blocks: total, span: { buffer } } = target;
    const { blockBytes, blockLength } = FORMATS[format];
    const { mapped } = buffer;
    const blocksPerPiece = Math.floor(PIECE_BYTES / blockBytes);
    for (let first = 0; first < total; first += blocksPerPiece) {
      const blocks = Math.min(blocksPerPiece, total - first);
      const piece = this.#piece.subarray(0, blocks * blockBytes);
      this.#read(info, piece, first * blockBytes);
      if (mapped) splitPlanes(format, piece, first, blocks, total, mapped);
      else {
        await uploader.stage(
          deviceBytes(format, blocks * blockLength),
          (into) => splitPlanes(format, piece, 0, blocks, blocks, into),
          planeCopies(format, first, blocks, total).map(({ from, to, bytes }) => ({
            from,
            to: span(buffer, to, bytes),
          })),
        );
      }
    }
  }

  #read(info: TensorInfo, into: Uint8Array, offset = 0): void {
    this.#file.readTensor(info, into, offset);
    this.#onBytes(into.length);
  }
}

async function uploadFloats(uploader: Uploader, values: Float32Array, target: DeviceWeight): Promise<void> {
  assert(target.format === "f32", "only float32 is made on the host");
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  await uploader.add(span(target.span.buffer, 0, bytes.length), (into, offset) => {
    into.set(bytes.subarray(offset, offset + into.length));
  });
}

function elementsOf(weight: Weight): number {
  return weight.experts * weight.rows * weight.columns;
}
