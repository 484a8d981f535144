/**
 * T5's relative position biases (https://arxiv.org/abs/1910.10683, section 2.1): one learned number per head and bucket of distances. Buckets
 * are exact for near keys and logarithmic up to 128 positions; the operation gets them spread out to one number per distance.
 */
import type { Weight } from "../../kernels/operation.ts";
import type { ModelBuilder } from "../model_builder.ts";

/** Farther keys share the last bucket; no file says otherwise. */
const MAX_DISTANCE = 128;

/** `[heads, 2 * reach + 1]`, by `key position - query position`, from the tensor `name` `[buckets, heads]`. */
export function relativeBias(
  m: ModelBuilder,
  name: string,
  options: { heads: number; bidirectional: boolean },
): Weight {
  const { heads, bidirectional } = options;
  return m.tensors.constant(`distances:${name}`, () => {
    const buckets = m.config.keys.integer("attention.relative_buckets_count", { min: 4, max: 1 << 16 });
    const table = m.tensors.values(name, buckets * heads);
    const distances = 2 * MAX_DISTANCE + 1;
    return Float32Array.from({ length: heads * distances }, (_, i) => {
      const bucket = bucketOf(i % distances - MAX_DISTANCE, buckets, bidirectional);
      return table[bucket * heads + Math.floor(i / distances)];
    });
  }, heads);
}

/** Bucket of a distance `key - query`: half of them for keys ahead where those can be seen, half of the rest exact. */
export function bucketOf(distance: number, buckets: number, bidirectional: boolean): number {
  const side = bidirectional ? Math.floor(buckets / 2) : buckets;
  const ahead = bidirectional && distance > 0 ? side : 0;
  const away = bidirectional ? Math.abs(distance) : Math.max(0, -distance);
  const exact = Math.floor(side / 2);
  if (away < exact) return ahead + away;
  // Float32, as the model was trained: the ends of the buckets hang on the rounding.
  const log = Math.fround(
    Math.fround(Math.log(Math.fround(away / exact))) / Math.fround(Math.log(MAX_DISTANCE / exact)),
  );
  return ahead + Math.min(side - 1, exact + Math.floor(Math.fround(log * (side - exact))));
}
