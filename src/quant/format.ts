/**
 * What a block format is. A GGUF tensor is a sequence of blocks of `blockLength` consecutive weights, each stored in
 * `blockBytes` bytes; rows are whole blocks. The type ids are those of ggml (`enum ggml_type` in ggml.h).
 */

/** Every tensor type that zinc can decode, by its ggml name in lower case. */
export type FormatName =
  | "f32"
  | "f16"
  | "bf16"
  | "f64"
  | "i8"
  | "i16"
  | "i32"
  | "i64"
  | "q1_0"
  | "q2_0"
  | "q4_0"
  | "q4_1"
  | "q5_0"
  | "q5_1"
  | "q8_0"
  | "q2_k"
  | "q3_k"
  | "q4_k"
  | "q5_k"
  | "q6_k"
  | "iq1_s"
  | "iq1_m"
  | "iq2_xxs"
  | "iq2_xs"
  | "iq2_s"
  | "iq3_xxs"
  | "iq3_s"
  | "iq4_nl"
  | "iq4_xs"
  | "tq1_0"
  | "tq2_0"
  | "mxfp4"
  | "nvfp4";

/**
 * A byte range of every block that is stored apart from the rest on the device: first this range of all blocks, then
 * the next plane. It lets a kernel read 16 aligned bytes at a time although, say, a Q4_0 block is 18 bytes long.
 */
export interface Plane {
  /** The field's name in ggml's block structures; `dm` is the pair of scale and minimum. */
  readonly name: string;
  /** First byte inside the block. */
  readonly offset: number;
  /** Bytes of the range, per block. */
  readonly bytes: number;
  /** How the bytes are rewritten on their way to the device, where they are. */
  readonly recoding?: Recoding;
}

/** A key of `RECODINGS` in `recodings.ts`, where each is described. */
export type Recoding = "q5_k_bits" | "q6_k_scales" | "fp4_codes";

/** One block format: its sizes, its layout on the device, and its plain decoder and encoder. */
export interface Format {
  /** The key in the table. */
  readonly name: FormatName;
  /** The id in the file's tensor table. */
  readonly ggmlType: number;
  /** Weights per block. */
  readonly blockLength: number;
  /** Bytes per block in the file; on the device, too, not counting the padding between planes. */
  readonly blockBytes: number;
  /** Layout on the device; together the planes cover every byte of the block exactly once. */
  readonly planes: readonly Plane[];
  /** A code book that the GLSL include looks up: on the device it follows the last plane of every tensor. */
  readonly table?: Uint8Array;
  /** Consecutive weights that the GLSL include decodes at once (`CHUNK`); 0 where there is no include. */
  readonly chunk: number;
  /** Whether `shaders/formats/<name>.glsl` exists, so that kernels can read the format. */
  readonly device: boolean;
  /** Decodes `blocks` blocks from the start of `bytes` into `out`, from index `outOffset` on. */
  decode(bytes: Uint8Array, blocks: number, out: Float32Array, outOffset: number): void;
  /** Encodes whole blocks of `values` into the start of `out`. Absent where nothing needs to write the format. */
  encode?(values: Float32Array, out: Uint8Array): void;
}
