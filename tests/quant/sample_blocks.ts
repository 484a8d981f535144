/** Blocks with bytes of which every one can be told from its neighbours, and their planes put together again. */
import { type FormatName, FORMATS } from "../../src/quant/formats.ts";
import { planeOffset } from "../../src/quant/planes.ts";

/** `blocks` blocks in file layout; no two stretches of 64 KiB are alike. */
export function sampleBlocks(name: FormatName, blocks: number): Uint8Array {
  const bytes = new Uint8Array(blocks * FORMATS[name].blockBytes);
  for (let i = 0; i < bytes.length; i++) bytes[i] = (i * 167 + (i >> 8) + (i >> 16) * 31) & 255;
  return bytes;
}

/** Weights of `blocks` blocks. */
export function elementsOf(name: FormatName, blocks: number): number {
  return blocks * FORMATS[name].blockLength;
}

/** Puts the planes together again, byte by byte. */
export function joinPlanes(name: FormatName, device: Uint8Array, blocks: number): Uint8Array {
  const { blockBytes, planes } = FORMATS[name];
  const out = new Uint8Array(blocks * blockBytes);
  planes.forEach(({ offset, bytes }, p) => {
    const start = planeOffset(name, elementsOf(name, blocks), p);
    for (let b = 0; b < blocks; b++) {
      for (let i = 0; i < bytes; i++) out[b * blockBytes + offset + i] = device[start + b * bytes + i];
    }
  });
  return out;
}
