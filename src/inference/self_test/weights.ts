/** A small GGUF file with a matrix in every block format that can be written, for the known-answer cases. */
import { type TensorData, writeGguf } from "../../gguf/mod.ts";
import { encodeTensor, type FormatName, FORMATS } from "../../quant/formats.ts";

/** Width of the input activations. */
export const WIDTH = 256;
/** Rows of the input table: token ids are below. */
export const TOKENS = 64;
/** Shape of the matrices; more rows than tokens, and not a round number. */
export const MATRIX = { rows: 70, columns: WIDTH } as const;
/** Shape of the routed experts. */
export const EXPERTS = { count: 8, used: 2, inner: 32 } as const;
/** Name of the table that turns tokens into activations. */
export const INPUT = "input";

/** Formats that have kernels and an encoder. */
export const TEST_FORMATS: readonly FormatName[] = Object.values(FORMATS)
  .filter((format) => format.device && format.encode)
  .map((format) => format.name);

/** `length` numbers between -1 and 1 that depend on `name` alone: mulberry32 over a hash of the name. */
export function noise(name: string, length: number): Float32Array {
  let seed = 0;
  for (const character of name) seed = (Math.imul(seed, 31) + character.codePointAt(0)!) | 0;
  return Float32Array.from({ length }, () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 31 - 1;
  });
}

/** Writes the file. */
export function writeTestWeights(path: string): void {
  const { count, inner } = EXPERTS;
  writeGguf(path, {
    metadata: [],
    tensors: [
      tensor(INPUT, "f32", [WIDTH, TOKENS]),
      ...TEST_FORMATS.map((format) => tensor(`matrix.${format}`, format, [MATRIX.columns, MATRIX.rows])),
      tensor("experts.gate", "f32", [WIDTH, inner, count]),
      tensor("experts.up", "f32", [WIDTH, inner, count]),
      tensor("experts.down", "f32", [inner, WIDTH, count]),
    ],
  });
}

function tensor(name: string, format: FormatName, dims: readonly number[]): TensorData {
  const values = noise(name, dims.reduce((product, extent) => product * extent, 1));
  return { name, format, dims, data: encodeTensor(format, values) };
}
