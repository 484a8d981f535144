/** Blocks with bytes of which every one can be told from its neighbours, and their planes put together again. */
import type { Recoding } from "../../src/quant/format.ts";
import { type FormatName, FORMATS } from "../../src/quant/formats.ts";
import { planeOffset } from "../../src/quant/planes.ts";

/** `blocks` blocks in file layout; no two stretches of 64 KiB are alike. */
export function sampleBlocks(name: FormatName, blocks: number): Uint8Array {
  const bytes = new Uint8Array(blocks * FORMATS[name].blockBytes);
  for (let i = 0; i < bytes.length; i++) {
    bytes[i] = (i * 167 + (i >> 8) + (i >> 16) * 31) & 255;
    if (name === "mxfp4" && i % 17 > 0) bytes[i] = withoutMinusZero(bytes[i]);
  }
  return bytes;
}

/** Weights of `blocks` blocks. */
export function elementsOf(name: FormatName, blocks: number): number {
  return blocks * FORMATS[name].blockLength;
}

/** The device does not tell the two zeros of a four-bit float (codes 0 and 8) apart. */
function withoutMinusZero(codes: number): number {
  return ((codes & 15) === 8 ? 0 : codes & 15) | (codes >> 4 === 8 ? 0 : codes & 0xf0);
}

/** What each code on the device stands for, by the code in the file: 0, 0.5, 1, 1.5, 2, 3, 4, 6, then minus as much. */
const FP4_CODES = [8, 9, 10, 11, 12, 14, 13, 15, -1, 7, 6, 5, 4, 2, 3, 1];

/** Byte `i` of a plane in the file, from the bytes of that plane of one block on the device. */
const FILE_BYTE: Readonly<Record<Recoding, (device: Uint8Array, i: number) => number>> = {
  q5_k_bits(device, i) {
    const weight = i - 16;
    if (weight < 0 || weight >= 32) return device[i];
    let bits = 0;
    for (let sub = 0; sub < 8; sub++) {
      bits |= (device[16 + 4 * sub + weight % 4] >> Math.floor(weight / 4) & 1) << sub;
    }
    return bits;
  },
  q6_k_scales: (device, i) => device[Math.floor(i / 8) * 8 + (i % 2) * 4 + Math.floor(i % 8 / 2)],
  fp4_codes: (device, i) => FP4_CODES.indexOf(device[i] & 15) | FP4_CODES.indexOf(device[i] >> 4) << 4,
};

/** Puts the planes together again, byte by byte. */
export function joinPlanes(name: FormatName, device: Uint8Array, blocks: number): Uint8Array {
  const { blockBytes, planes } = FORMATS[name];
  const out = new Uint8Array(blocks * blockBytes);
  planes.forEach(({ offset, bytes, recoding }, p) => {
    const start = planeOffset(name, elementsOf(name, blocks), p);
    for (let b = 0; b < blocks; b++) {
      const block = device.subarray(start + b * bytes, start + (b + 1) * bytes);
      for (let i = 0; i < bytes; i++) {
        out[b * blockBytes + offset + i] = recoding ? FILE_BYTE[recoding](block, i) : block[i];
      }
    }
  });
  return out;
}
