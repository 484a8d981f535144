/** Copying a field of many blocks to one place. */

/** Copies, or recodes, `bytes` bytes of each of `blocks` blocks that are `stride` bytes apart, from `from` on to `to` and on. */
export type StridedCopy = (
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
export function copyFor(bytes: number): StridedCopy {
  if (bytes === 16) return copySixteen;
  if (bytes % 16 === 0) return copySixteens;
  if (bytes === 4) return copyWord;
  if (bytes % 4 === 0) return copyWords;
  if (bytes === 2) return copyHalfWord;
  return bytes === 1 ? copyByte : copyBytes;
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

const copyByte: StridedCopy = (source, from, stride, target, to, _bytes, blocks) => {
  for (let b = 0, s = from, t = to; b < blocks; b++, s += stride, t++) target.setUint8(t, source.getUint8(s));
};

const copyBytes: StridedCopy = (source, from, stride, target, to, bytes, blocks) => {
  for (let b = 0, s = from, t = to; b < blocks; b++, s += stride) {
    for (let i = 0; i < bytes; i++, t++) target.setUint8(t, source.getUint8(s + i));
  }
};
