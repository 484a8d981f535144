/** The reference blocks of tests/golden/quants.*: quantized and dequantized by libggml (see the kit's README). */
import { openGguf } from "../../src/gguf/mod.ts";
import { type FormatName, FORMATS } from "../../src/quant/formats.ts";

/** One reference tensor. */
export interface GoldenTensor {
  readonly format: FormatName;
  readonly ggmlType: number;
  readonly blockLength: number;
  readonly blockBytes: number;
  /** Weights in all; rows are 512 long. */
  readonly elements: number;
  /** The blocks. */
  readonly bytes: Uint8Array;
  /** What libggml decodes them to. */
  readonly values: Float32Array;
  /** Root mean square of `values - input`, relative to that of `input`. */
  readonly relativeError: number;
}

const FOLDER = new URL("../golden/", import.meta.url).pathname;

interface Listing {
  readonly tensors: {
    tensor: string;
    type: string;
    type_id: number;
    block_size?: number;
    block_bytes?: number;
    f32_offset: number;
    count: number;
    rel_rms_error_vs_input?: number;
  }[];
}

/** All reference tensors but the original. */
export function goldenTensors(): GoldenTensor[] {
  const listing: Listing = JSON.parse(Deno.readTextFileSync(`${FOLDER}quants.json`));
  const decoded = Deno.readFileSync(`${FOLDER}quants.f32`);
  using file = openGguf(`${FOLDER}quants.gguf`);
  return listing.tensors.filter(({ tensor }) => tensor !== "input").map((entry) => {
    const info = file.tensors.get(entry.tensor)!;
    const bytes = new Uint8Array(info.bytes);
    file.readTensor(info, bytes);
    return {
      format: entry.type.toLowerCase() as FormatName,
      ggmlType: entry.type_id,
      blockLength: entry.block_size!,
      blockBytes: entry.block_bytes!,
      elements: entry.count,
      bytes,
      values: new Float32Array(decoded.buffer, entry.f32_offset, entry.count),
      relativeError: entry.rel_rms_error_vs_input!,
    };
  });
}

/** The float32 values that all reference tensors were made from: 8 rows of 512. */
export function goldenInput(): Float32Array {
  return new Float32Array(Deno.readFileSync(`${FOLDER}quants.f32`).buffer, 0, 4096);
}

/** Formats that have an include in shaders/formats. */
export function deviceFormats(): FormatName[] {
  return Object.values(FORMATS).filter(({ device }) => device).map(({ name }) => name);
}
