/**
 * The layout of weights on the device. Blocks of 18 or 210 bytes cannot be read 16 aligned bytes at a time, so each
 * tensor is stored plane by plane: one field of all its blocks, then the next field. Planes are listed in
 * {@linkcode Format.planes}; each starts at a multiple of 16 bytes, and so do the code book, where the format has one,
 * and whatever follows the tensor.
 *
 * For n blocks of Q4_0 (`d` 2 bytes, `qs` 16 bytes): bytes 0 to 16n are `qs`, bytes 16n to 18n are `d`.
 */
import { assert } from "../common/assert.ts";
import { blockCount, FORMATS } from "./formats.ts";
import type { FormatName } from "./format.ts";

/** Alignment of every plane: kernels load 16 bytes at a time. */
export const PLANE_ALIGNMENT = 16;

/** Blocks of which all planes are copied before the next ones, so that the source stays in the cache. */
const BATCH_BLOCKS = 1024;

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
  if (planes.length === 1) {
    dst.set(src.subarray(0, blocks * blockBytes), firstBlock * blockBytes);
    return;
  }
  if (table) dst.set(table, endOfPlanes(name, totalBlocks));
  const source = new DataView(src.buffer, src.byteOffset, src.byteLength);
  const target = new DataView(dst.buffer, dst.byteOffset, dst.byteLength);
  const starts = planes.map((plane, i) => startOfPlane(name, totalBlocks, i) + firstBlock * plane.bytes);
  const copies = planes.map(({ bytes }) => copyFor(bytes));
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

/** Copies `bytes` bytes of each of `blocks` blocks that are `stride` bytes apart, from `from` on to `to` and on. */
type StridedCopy = (
  source: DataView,
  from: number,
  stride: number,
  target: DataView,
  to: number,
  bytes: number,
  blocks: number,
) => void;

/**
 * The loop for planes of this size. Each loop has one width of access and few steps per block, which the compiler turns
 * into bare loads and stores: several times faster than one general loop, or than copying subarrays.
 */
function copyFor(bytes: number): StridedCopy {
  if (bytes === 16) return copySixteen;
  if (bytes % 16 === 0) return copySixteens;
  if (bytes === 4) return copyWord;
  if (bytes % 4 === 0) return copyWords;
  return bytes === 2 ? copyHalfWord : copyBytes;
}

const copySixteen: StridedCopy = (source, from, stride, target, to, _bytes, blocks) => {
  for (let b = 0, s = from, t = to; b < blocks; b++, s += stride, t += 16) {
    target.setBigUint64(t, source.getBigUint64(s, true), true);
    target.setBigUint64(t + 8, source.getBigUint64(s + 8, true), true);
  }
};

const copySixteens: StridedCopy = (source, from, stride, target, to, bytes, blocks) => {
  for (let b = 0, s = from, t = to; b < blocks; b++, s += stride) {
    for (let i = 0; i < bytes; i += 16, t += 16) {
      target.setBigUint64(t, source.getBigUint64(s + i, true), true);
      target.setBigUint64(t + 8, source.getBigUint64(s + i + 8, true), true);
    }
  }
};

const copyWord: StridedCopy = (source, from, stride, target, to, _bytes, blocks) => {
  for (let b = 0, s = from, t = to; b < blocks; b++, s += stride, t += 4) {
    target.setUint32(t, source.getUint32(s, true), true);
  }
};

const copyWords: StridedCopy = (source, from, stride, target, to, bytes, blocks) => {
  for (let b = 0, s = from, t = to; b < blocks; b++, s += stride) {
    for (let i = 0; i < bytes; i += 4, t += 4) target.setUint32(t, source.getUint32(s + i, true), true);
  }
};

const copyHalfWord: StridedCopy = (source, from, stride, target, to, _bytes, blocks) => {
  for (let b = 0, s = from, t = to; b < blocks; b++, s += stride, t += 2) {
    target.setUint16(t, source.getUint16(s, true), true);
  }
};

const copyBytes: StridedCopy = (source, from, stride, target, to, bytes, blocks) => {
  for (let b = 0, s = from, t = to; b < blocks; b++, s += stride) {
    for (let i = 0; i < bytes; i++, t++) target.setUint8(t, source.getUint8(s + i));
  }
};
