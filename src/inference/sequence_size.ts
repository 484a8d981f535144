/** What one sequence of a model costs on a device, and how its cache stores numbers. */
import { stateBytes } from "../graph/vulkan_sequence.ts";
import type { OpenModel } from "../models/open_model.ts";

/** Number format of cached keys and values. */
export type CacheType = "f16" | "f32";

/** Bytes of a cached element. */
export const CACHE_BYTES = { f16: 2, f32: 4 } as const satisfies Record<CacheType, number>;

/**
 * The format for `model`: float16, except where an encoder takes part. Its cache holds one text only, and vectors are compared by small
 * differences.
 */
export function cacheTypeOf({ family }: OpenModel): CacheType {
  return family.kind === "decoder" ? "f16" : "f32";
}

/** Tokens of the largest batch: an encoder reads a whole text at once, however small the batches of a decoder are. */
export function largestBatch({ family, contextLength }: OpenModel, ubatch: number): number {
  return family.kind === "decoder" ? Math.min(ubatch, contextLength) : contextLength;
}

/** Bytes of device memory that a sequence of `contextLength` positions keeps. */
export function sequenceBytes(
  model: OpenModel,
  contextLength: number = model.contextLength,
  cacheType: CacheType = cacheTypeOf(model),
): number {
  return stateBytes(model.states.slots, contextLength, CACHE_BYTES[cacheType]);
}
