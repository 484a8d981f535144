/**
 * Random weights at the speed of memory: a pattern of encoded blocks is made once per format and deviation, and tensors are
 * filled with runs of blocks from random places in it. Runs are shorter than rows, so equal rows are as good as excluded.
 */
import { encodeTensor, type FormatName, FORMATS } from "../../src/quant/formats.ts";
import type { Random } from "./random.ts";

/** Weights of a pattern. */
const PATTERN_WEIGHTS = 1 << 19;
/** Shorter runs than this, bytes, cost more time than they take to write. */
const RUN_BYTES = 1024;
/** Bytes handed out at a time. */
const PIECE_BYTES = 8 << 20;

/** What to fill. */
export interface Filling {
  readonly format: FormatName;
  readonly deviation: number;
  /** Weights per row. */
  readonly columns: number;
  readonly rows: number;
}

/** Makes the data of tensors; patterns are shared between tensors of the same format and deviation. */
export class PatternSource {
  readonly #patterns = new Map<string, Uint8Array>();
  readonly #piece = new Uint8Array(PIECE_BYTES);
  readonly #normal: Float32Array;

  /** @param random The source of the patterns themselves. */
  constructor(random: Random) {
    this.#normal = Float32Array.from({ length: PATTERN_WEIGHTS }, () => random.normal());
  }

  /** The data of one tensor, piece by piece; a piece is valid until the next. */
  *fill({ format, deviation, columns, rows }: Filling, random: Random): Generator<Uint8Array> {
    const { blockLength, blockBytes } = FORMATS[format];
    const pattern = this.#pattern(format, deviation);
    const starts = pattern.length / blockBytes;
    const rowBlocks = columns / blockLength;
    const run = Math.max(1, Math.min(rowBlocks - 1, Math.ceil(RUN_BYTES / blockBytes), starts >> 1));
    const pieceBlocks = Math.floor(PIECE_BYTES / blockBytes);
    for (let left = rowBlocks * rows; left > 0;) {
      const blocks = Math.min(left, pieceBlocks);
      for (let at = 0; at < blocks; at += run) {
        const count = Math.min(run, blocks - at);
        const start = random.below(starts - count) * blockBytes;
        this.#piece.set(pattern.subarray(start, start + count * blockBytes), at * blockBytes);
      }
      yield this.#piece.subarray(0, blocks * blockBytes);
      left -= blocks;
    }
  }

  #pattern(format: FormatName, deviation: number): Uint8Array {
    const key = `${format}/${deviation}`;
    let pattern = this.#patterns.get(key);
    if (!pattern) {
      pattern = encodeTensor(format, this.#normal.map((value) => value * deviation));
      this.#patterns.set(key, pattern);
    }
    return pattern;
  }
}
