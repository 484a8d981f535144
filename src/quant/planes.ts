/**
 * The layout of weights on the device. Blocks of 18 or 210 bytes cannot be read 16 aligned bytes at a time, so each
 * tensor is stored plane by plane: one field of all its blocks, then the next field. Planes are listed in
 * {@linkcode Format.planes}; each starts at a multiple of 16 bytes, and so does whatever follows the tensor.
 *
 * For n blocks of Q4_0 (`d` 2 bytes, `qs` 16 bytes): bytes 0 to 16n are `qs`, bytes 16n to 18n are `d`.
 */
import { assert } from "../common/assert.ts";
import { blockCount, FORMATS } from "./formats.ts";
import type { FormatName } from "./format.ts";

/** Alignment of every plane: kernels load 16 bytes at a time. */
export const PLANE_ALIGNMENT = 16;

/** Bytes that `elements` weights take on the device, the padding between and behind planes included. */
export function deviceBytes(name: FormatName, elements: number): number {
  return startOfPlane(name, blockCount(name, elements), FORMATS[name].planes.length);
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
 * when the piece is blocks `firstBlock ...` of a tensor of `totalBlocks`.
 */
export function planeCopies(
  name: FormatName,
  firstBlock: number,
  blocks: number,
  totalBlocks: number,
): PlaneCopy[] {
  return FORMATS[name].planes.map((plane, i) => ({
    from: startOfPlane(name, blocks, i),
    to: startOfPlane(name, totalBlocks, i) + firstBlock * plane.bytes,
    bytes: blocks * plane.bytes,
  }));
}

/**
 * Writes `blocks` blocks in file layout, from the start of `src`, to their places in `dst`, which holds all planes of
 * a tensor of `totalBlocks` blocks; the first of `src` is the tensor's block `firstBlock`. Fastest when `src` and
 * `dst` start at multiples of 4 in their buffers. Padding is left as it is.
 */
export function splitPlanes(
  name: FormatName,
  src: Uint8Array,
  firstBlock: number,
  blocks: number,
  totalBlocks: number,
  dst: Uint8Array,
): void {
  const { blockBytes, planes } = FORMATS[name];
  assert(firstBlock + blocks <= totalBlocks, `blocks ${firstBlock}+${blocks} of ${totalBlocks}`);
  assert(src.length >= blocks * blockBytes, `${blocks} ${name} blocks need more than ${src.length} bytes`);
  assert(
    dst.length >= startOfPlane(name, totalBlocks, planes.length),
    `${dst.length} bytes hold no ${name} tensor`,
  );
  for (const [i, plane] of planes.entries()) {
    const to = startOfPlane(name, totalBlocks, i) + firstBlock * plane.bytes;
    if (plane.bytes === blockBytes) dst.set(src.subarray(0, blocks * blockBytes), to);
    else copyStrided(src, plane.offset, blockBytes, dst, to, plane.bytes, blocks);
  }
}

function startOfPlane(name: FormatName, blocks: number, plane: number): number {
  let start = 0;
  for (const { bytes } of FORMATS[name].planes.slice(0, plane)) {
    start += Math.ceil(blocks * bytes / PLANE_ALIGNMENT) * PLANE_ALIGNMENT;
  }
  return start;
}

/** Copies `bytes` bytes of each of `blocks` blocks of `stride` bytes, with the widest words that all offsets allow. */
function copyStrided(
  src: Uint8Array,
  from: number,
  stride: number,
  dst: Uint8Array,
  to: number,
  bytes: number,
  blocks: number,
): void {
  const offsets = src.byteOffset | dst.byteOffset | from | stride | to | bytes;
  const width = offsets % 4 === 0 ? 4 : offsets % 2 === 0 ? 2 : 1;
  const copy = width === 4 ? copyWords : width === 2 ? copyHalfWords : copyBytes;
  copy(src, from / width, stride / width, dst, to / width, bytes / width, blocks);
}

/** Three times the same loop: each copy stays monomorphic, which makes it several times faster than a shared one. */
type StridedCopy = (
  src: Uint8Array,
  from: number,
  stride: number,
  dst: Uint8Array,
  to: number,
  count: number,
  blocks: number,
) => void;

const copyWords: StridedCopy = (src, from, stride, dst, to, count, blocks) => {
  const source = new Uint32Array(src.buffer, src.byteOffset, Math.floor(src.length / 4));
  const target = new Uint32Array(dst.buffer, dst.byteOffset, Math.floor(dst.length / 4));
  for (let b = 0, s = from, t = to; b < blocks; b++, s += stride) {
    for (let i = 0; i < count; i++) target[t++] = source[s + i];
  }
};

const copyHalfWords: StridedCopy = (src, from, stride, dst, to, count, blocks) => {
  const source = new Uint16Array(src.buffer, src.byteOffset, Math.floor(src.length / 2));
  const target = new Uint16Array(dst.buffer, dst.byteOffset, Math.floor(dst.length / 2));
  for (let b = 0, s = from, t = to; b < blocks; b++, s += stride) {
    for (let i = 0; i < count; i++) target[t++] = source[s + i];
  }
};

const copyBytes: StridedCopy = (src, from, stride, dst, to, count, blocks) => {
  for (let b = 0, s = from, t = to; b < blocks; b++, s += stride) {
    for (let i = 0; i < count; i++) dst[t++] = src[s + i];
  }
};
