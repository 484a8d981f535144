/** Weights for the reference executor: decoded from the file to float32 when first needed, and kept. */
import { assert } from "../common/assert.ts";
import type { GgufFile } from "../gguf/mod.ts";
import type { Weight } from "../kernels/operation.ts";
import { FORMATS, rowBytes } from "../quant/formats.ts";
import type { WeightSource } from "./reference_executor.ts";

/** Reads tensors of one file; constants are held ready. */
export class HostWeights implements WeightSource {
  readonly #file: GgufFile;
  readonly #decoded = new Map<string, Float32Array>();

  /**
   * @param file The open model.
   * @param constants Weights computed by zinc, by name.
   */
  constructor(file: GgufFile, constants: Iterable<{ name: string; data: Float32Array }>) {
    this.#file = file;
    for (const { name, data } of constants) this.#decoded.set(name, data);
  }

  decode(weight: Weight): Float32Array {
    let values = this.#decoded.get(weight.name);
    if (!values) {
      values = this.#read(weight, 0, weight.experts * weight.rows);
      this.#decoded.set(weight.name, values);
    }
    return values;
  }

  decodeRow(weight: Weight, row: number): Float32Array {
    const values = this.#decoded.get(weight.name);
    if (values) return values.subarray(row * weight.columns, (row + 1) * weight.columns);
    return this.#read(weight, row, 1);
  }

  #read(weight: Weight, firstRow: number, rows: number): Float32Array {
    const info = this.#file.tensors.get(weight.name);
    assert(info?.format, `no tensor "${weight.name}"`);
    const bytesPerRow = rowBytes(info.format, weight.columns);
    const bytes = new Uint8Array(rows * bytesPerRow);
    this.#file.readTensor(info, bytes, firstRow * bytesPerRow);
    const values = new Float32Array(rows * weight.columns);
    const format = FORMATS[info.format];
    format.decode(bytes, values.length / format.blockLength, values, 0);
    return values;
  }
}
