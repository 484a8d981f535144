/**
 * What cached keys and values are stored as. A row (one position) of a cache lies on the device as shaders/include/kv_cache.glsl reads it:
 * elements one behind the other, or, of q8_0, the planes that a tensor of `width` elements has.
 */
import { blockCount, decodeTensor, FORMATS, tensorBytes } from "../quant/formats.ts";
import { deviceBytes } from "../quant/planes.ts";
import { CACHE_TYPES, type CacheType, type CacheTypes } from "./cache_types.ts";
import type { StateSlot } from "./operation.ts";

/** Largest magnitude that a type holds; larger numbers become this. */
const LARGEST = { f32: Infinity, f16: 65504, q8_0: 127 * 65504 } as const satisfies Record<CacheType, number>;

/** What `slot` is stored as. */
export function cacheTypeOfSlot({ holds }: StateSlot, types: CacheTypes): CacheType {
  return holds ? types[holds] : "f32";
}

/** The number of `type` in the specialization constants of kernels. */
export function cacheTypeNumber(type: CacheType): number {
  return CACHE_TYPES.indexOf(type);
}

/** Elements that share a scale, which has to divide the size of a head; 1 where none do. */
export function cacheBlock(type: CacheType): number {
  return FORMATS[type].blockLength;
}

/** Bytes of a row of `width` elements on the device. */
export function cacheRowBytes(type: CacheType, width: number): number {
  return cacheBlock(type) === 1 ? tensorBytes(type, width) : deviceBytes(type, width);
}

/** The numbers that are left of `row` once it has been stored as `type`. */
export function throughCache(type: CacheType, row: Float32Array): Float32Array {
  if (type === "f32") return row;
  const bytes = new Uint8Array(blockCount(type, row.length) * FORMATS[type].blockBytes);
  const most = LARGEST[type];
  FORMATS[type].encode!(row.map((x) => Math.max(-most, Math.min(most, x))), bytes);
  return decodeTensor(type, bytes, row.length);
}
