/** What one sequence of a model costs on a device, and how its cache stores numbers. */
import { UserError } from "../common/errors.ts";
import { stateBytes } from "../graph/vulkan_sequence.ts";
import type { CacheType, CacheTypes } from "../kernels/cache_types.ts";
import { cacheBlock } from "../kernels/kv_cache.ts";
import type { OpenModel } from "../models/open_model.ts";

/** What a cache holds, and the flag that says as what. */
const FLAGS = { keys: "--cache-type-k", values: "--cache-type-v" } as const;

/**
 * The types of `model`'s cache: those asked for, otherwise `usual`, which is float16, except where an encoder takes part. Its cache
 * holds one text only, and vectors are compared by small differences. A model that caches nothing of a kind has float32 there.
 *
 * @throws UserError when the blocks of a type do not divide the heads.
 */
export function cacheTypesOf(
  model: OpenModel,
  asked: Partial<CacheTypes> = {},
  usual: CacheType = model.family.kind === "decoder" ? "f16" : "f32",
): CacheTypes {
  const typeOf = (what: keyof CacheTypes) => {
    if (!caches(model, what)) return "f32";
    const type = asked[what] ?? usual;
    checkHeads(model, what, type);
    return type;
  };
  return { keys: typeOf("keys"), values: typeOf("values") };
}

/** One line for each type that is asked for although `model` caches nothing that would be stored so. */
export function uselessCacheTypes(model: OpenModel, asked: Partial<CacheTypes>): string[] {
  return (["keys", "values"] as const)
    .filter((what) => asked[what] && asked[what] !== "f32" && !caches(model, what))
    .map((what) => `${FLAGS[what]} ${asked[what]} changes nothing: what this model keeps is float32 always`);
}

function caches({ states }: OpenModel, what: keyof CacheTypes): boolean {
  return states.slots.some(({ holds }) => holds === what);
}

/** All heads are held to it, those of keys and of values: kernels take a layer's keys and values in pieces of one size. */
function checkHeads(model: OpenModel, what: keyof CacheTypes, type: CacheType): void {
  const block = cacheBlock(type);
  const sizes = model.build(1, 1).nodes.flatMap((node) =>
    node.op === "attention" ? [node.headDim, node.valueDim] : []
  );
  const odd = sizes.find((size) => size % block !== 0);
  if (odd === undefined) return;
  throw new UserError(
    `Cannot use ${
      FLAGS[what]
    } ${type} with "${model.file.path}": its heads have ${odd} elements, which blocks of ` +
      `${block} do not divide; use f16 or f32`,
  );
}

/** Tokens of the largest batch: an encoder reads a whole text at once, however small the batches of a decoder are. */
export function largestBatch({ family, contextLength }: OpenModel, ubatch: number): number {
  return family.kind === "decoder" ? Math.min(ubatch, contextLength) : contextLength;
}

/** Bytes of device memory that a sequence of `contextLength` positions keeps. */
export function sequenceBytes(model: OpenModel, contextLength: number, types: CacheTypes): number {
  return stateBytes(model.states.slots, contextLength, types);
}
