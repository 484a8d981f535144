/**
 * The table of block formats: the only place that lists them. Adding one is an entry here, a decoder in a family
 * file, and (for use on the device) a GLSL include in shaders/formats/.
 */
import { assert } from "../common/assert.ts";
import type { Format, FormatName } from "./format.ts";
import { MXFP4, NVFP4 } from "./fp4.ts";
import { IQ1_M, IQ1_S, IQ2_S, IQ2_XS, IQ2_XXS, IQ3_S, IQ3_XXS } from "./i_quants.ts";
import { IQ4_NL, IQ4_XS } from "./iq4.ts";
import { Q2_K, Q3_K, Q4_K, Q5_K, Q6_K } from "./k_quants.ts";
import { Q4_0, Q4_1, Q5_0, Q5_1, Q8_0 } from "./legacy.ts";
import { BF16, F16, F32, F64, I16, I32, I64, I8 } from "./plain.ts";
import { Q1_0, Q2_0, TQ1_0, TQ2_0 } from "./ternary.ts";

export type { Format, FormatName, Plane } from "./format.ts";

/** Family by family. */
const LIST: readonly Format[] = [
  ...[F32, F16, BF16, F64, I8, I16, I32, I64],
  ...[Q4_0, Q4_1, Q5_0, Q5_1, Q8_0],
  ...[Q2_K, Q3_K, Q4_K, Q5_K, Q6_K],
  ...[IQ1_S, IQ1_M, IQ2_XXS, IQ2_XS, IQ2_S, IQ3_XXS, IQ3_S, IQ4_NL, IQ4_XS],
  ...[TQ1_0, TQ2_0, Q1_0, Q2_0],
  ...[MXFP4, NVFP4],
];

/** All formats by name. */
export const FORMATS: Readonly<Record<FormatName, Format>> = Object.fromEntries(
  LIST.map((format) => [format.name, format]),
) as Record<FormatName, Format>;

const BY_GGML_TYPE = new Map(LIST.map((format) => [format.ggmlType, format]));

/** The format with this id in a file's tensor table; undefined where zinc does not know it. */
export function formatOfGgmlType(ggmlType: number): Format | undefined {
  return BY_GGML_TYPE.get(ggmlType);
}

/** Bytes of one row of `columns` weights in the file. Rows are whole blocks. */
export function rowBytes(name: FormatName, columns: number): number {
  return tensorBytes(name, columns);
}

/** Bytes of `elements` weights in the file. */
export function tensorBytes(name: FormatName, elements: number): number {
  return blockCount(name, elements) * FORMATS[name].blockBytes;
}

/** Blocks of `elements` weights. */
export function blockCount(name: FormatName, elements: number): number {
  const { blockLength } = FORMATS[name];
  assert(Number.isSafeInteger(elements) && elements >= 0, `${elements} is not a number of weights`);
  assert(elements % blockLength === 0, `${elements} weights are not whole ${name} blocks of ${blockLength}`);
  return elements / blockLength;
}

/** Decodes one row of `columns` weights that starts at the first of `bytes`. */
export function decodeRow(
  name: FormatName,
  bytes: Uint8Array,
  columns: number,
  out?: Float32Array,
): Float32Array {
  return decodeTensor(name, bytes, columns, out);
}

/** Decodes `elements` weights in file layout into `out`, or into a new array. */
export function decodeTensor(
  name: FormatName,
  bytes: Uint8Array,
  elements: number,
  out: Float32Array = new Float32Array(elements),
): Float32Array {
  const blocks = blockCount(name, elements);
  assert(
    bytes.length >= blocks * FORMATS[name].blockBytes,
    `${elements} ${name} weights need more bytes than given`,
  );
  assert(out.length >= elements, `${elements} weights do not fit into ${out.length}`);
  FORMATS[name].decode(bytes, blocks, out, 0);
  return out;
}

/** Encodes whole blocks of `values` in file layout. Only formats that have an encoder can be written. */
export function encodeTensor(name: FormatName, values: Float32Array): Uint8Array {
  const bytes = new Uint8Array(tensorBytes(name, values.length));
  const { encode } = FORMATS[name];
  assert(encode !== undefined, `${name} has no encoder`);
  encode(values, bytes);
  return bytes;
}
