/**
 * The layout of weights on the device. Blocks of 18 or 210 bytes cannot be read 16 aligned bytes at a time, so each
 * tensor is stored plane by plane: one field of all its blocks, then the next field. Planes are listed in
 * {@linkcode Format.planes}; each starts at a multiple of 16 bytes, and so do the code book, where the format has one,
 * and whatever follows the tensor.
 *
 * For n blocks of Q4_0 (`d` 2 bytes, `qs` 16 bytes): bytes 0 to 16n are `qs`, bytes 16n to 18n are `d`.
 *
 * A plane may also be recoded, so that kernels unpack it in fewer steps (`recodings.ts`).
 */
import { assert } from "../common/assert.ts";
import { blockCount, FORMATS } from "./formats.ts";
import type { FormatName } from "./format.ts";
import { RECODINGS } from "./recodings.ts";
import { copyFor } from "./strided_copy.ts";

/** Alignment of every plane: kernels load 16 bytes at a time. */
export const PLANE_ALIGNMENT = 16;

/** Blocks of which all planes are copied before the next ones, so that the source stays in the cache. */
const BATCH_BLOCKS = 1024;

/** Whether a tensor's bytes on the device are those of the file. */
export function isStoredAsInFile(name: FormatName): boolean {
  const { planes } = FORMATS[name];
  return planes.length === 1 && planes[0].recoding === undefined;
}

/** Bytes that `elements` weights take on the device: planes with their padding, and the code book. */
export function deviceBytes(name: FormatName, elements: number): number {
  return bytesOfBlocks(name, blockCount(name, elements));
}

/** Where plane `plane` (an index into the format's `planes`) of a tensor of `elements` weights starts. */
export function planeOffset(name: FormatName, elements: number, plane: number): number {
  return startOfPlane(name, blockCount(name, elements), plane);
}

/** A run of bytes to copy. */
export interface PlaneCopy {
  /** Offset in the split piece. */
  readonly from: number;
  /** Offset in the whole tensor on the device. */
  readonly to: number;
  /** Length of the run. */
  readonly bytes: number;
}

/**
 * Where the planes of a piece go that was split by itself (`splitPlanes(name, src, 0, blocks, blocks, staging)`),
 * when the piece is blocks `firstBlock ...` of a tensor of `totalBlocks`. The code book comes with the first piece.
 */
export function planeCopies(
  name: FormatName,
  firstBlock: number,
  blocks: number,
  totalBlocks: number,
): PlaneCopy[] {
  const { planes, table } = FORMATS[name];
  const copies = planes.map((plane, i) => ({
    from: startOfPlane(name, blocks, i),
    to: startOfPlane(name, totalBlocks, i) + firstBlock * plane.bytes,
    bytes: blocks * plane.bytes,
  }));
  if (table && firstBlock === 0) {
    copies.push({ from: endOfPlanes(name, blocks), to: endOfPlanes(name, totalBlocks), bytes: table.length });
  }
  return copies;
}

/**
 * Writes `blocks` blocks in file layout, from the start of `src`, to their places in `dst`, which holds all planes of
 * a tensor of `totalBlocks` blocks; the first of `src` is the tensor's block `firstBlock`. The code book is written as well; padding is left
 * as it is.
 */
export function splitPlanes(
  name: FormatName,
  src: Uint8Array,
  firstBlock: number,
  blocks: number,
  totalBlocks: number,
  dst: Uint8Array,
): void {
  const { blockBytes, planes, table } = FORMATS[name];
  assert(firstBlock + blocks <= totalBlocks, `blocks ${firstBlock}+${blocks} of ${totalBlocks}`);
  assert(src.length >= blocks * blockBytes, `${blocks} ${name} blocks need more than ${src.length} bytes`);
  assert(
    dst.length >= bytesOfBlocks(name, totalBlocks),
    `${dst.length} bytes hold no ${name} tensor`,
  );
  if (isStoredAsInFile(name)) {
    dst.set(src.subarray(0, blocks * blockBytes), firstBlock * blockBytes);
    return;
  }
  if (table) dst.set(table, endOfPlanes(name, totalBlocks));
  const source = new DataView(src.buffer, src.byteOffset, src.byteLength);
  const target = new DataView(dst.buffer, dst.byteOffset, dst.byteLength);
  const starts = planes.map((plane, i) => startOfPlane(name, totalBlocks, i) + firstBlock * plane.bytes);
  const copies = planes.map(({ bytes, recoding }) => recoding ? RECODINGS[recoding] : copyFor(bytes));
  for (let block = 0; block < blocks; block += BATCH_BLOCKS) {
    const count = Math.min(BATCH_BLOCKS, blocks - block);
    for (const [i, { offset, bytes }] of planes.entries()) {
      copies[i](
        source,
        block * blockBytes + offset,
        blockBytes,
        target,
        starts[i] + block * bytes,
        bytes,
        count,
      );
    }
  }
}

function bytesOfBlocks(name: FormatName, blocks: number): number {
  return endOfPlanes(name, blocks) + alignUp(FORMATS[name].table?.length ?? 0);
}

function endOfPlanes(name: FormatName, blocks: number): number {
  return startOfPlane(name, blocks, FORMATS[name].planes.length);
}

function startOfPlane(name: FormatName, blocks: number, plane: number): number {
  let start = 0;
  for (const { bytes } of FORMATS[name].planes.slice(0, plane)) {
    start += alignUp(blocks * bytes);
  }
  return start;
}

function alignUp(bytes: number): number {
  return Math.ceil(bytes / PLANE_ALIGNMENT) * PLANE_ALIGNMENT;
}
