/** The types of cached keys and values, by llama.cpp's names. What they look like in memory is kv_cache.ts's affair. */

/** All types; a type's place is the number by which kernels know it. */
export const CACHE_TYPES = ["f32", "f16", "q8_0"] as const;

/** Number format of cached keys or values. */
export type CacheType = (typeof CACHE_TYPES)[number];

/** What a sequence stores its keys and its values as. */
export interface CacheTypes {
  readonly keys: CacheType;
  readonly values: CacheType;
}
