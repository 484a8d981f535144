/**
 * From a text's hidden states to its one vector: the last step of an embedding model, done on the host.
 *
 * The file's `<architecture>.pooling_type` says how; its values are the GGUF specification's. Models trained with dense layers behind the
 * pooling (EmbeddingGemma) keep them as `dense_2` and `dense_3`.
 */
import { UserError } from "../common/errors.ts";
import type { OpenModel } from "../models/open_model.ts";

/** How states become one vector: their mean, the first, or the last. */
export type Pooling = "mean" | "cls" | "last";

/** All ways to pool, for messages and flags. */
export const POOLINGS: readonly Pooling[] = ["mean", "cls", "last"];

// Values of `pooling_type`; 0 is "none", which leaves the choice to the reader.
const BY_TYPE: readonly (Pooling | undefined)[] = [undefined, "mean", "cls", "last"];

/** The pooling that the file asks for; without one, `mean` for encoders and `last` for decoders, which have seen all there. */
export function poolingOf({ config, family }: OpenModel): Pooling {
  const type = config.keys.integer("pooling_type", { min: 0, max: 4 }, 0);
  if (type === 4) {
    throw new UserError(
      `Cannot embed with this model: it ranks pairs of texts (pooling_type 4), which makes no embeddings`,
    );
  }
  return BY_TYPE[type] ?? (family.kind === "decoder" ? "last" : "mean");
}

/** One vector `[width]` out of `states` `[tokens, width]`. */
export function pool(states: Float32Array, width: number, pooling: Pooling): Float32Array {
  const tokens = states.length / width;
  switch (pooling) {
    case "cls":
      return states.slice(0, width);
    case "last":
      return states.slice((tokens - 1) * width);
    case "mean":
      return Float32Array.from({ length: width }, (_, i) => {
        let sum = 0;
        for (let t = 0; t < tokens; t++) sum += states[t * width + i];
        return sum / tokens;
      });
  }
}

/** The pooled vector through the file's dense layers; itself where there are none. */
export function throughDenseLayers({ tensors }: OpenModel, vector: Float32Array): Float32Array {
  let x = vector;
  for (const name of ["dense_2.weight", "dense_3.weight"]) {
    if (!tensors.has(name)) continue;
    const columns = x.length;
    const weight = tensors.values(name, tensors.extent(name, 1) * columns);
    x = Float32Array.from({ length: weight.length / columns }, (_, row) => {
      let sum = 0;
      for (let i = 0; i < columns; i++) sum += weight[row * columns + i] * x[i];
      return sum;
    });
  }
  return x;
}

/** `x / |x|`; a zero vector stays zero. */
export function normalised(x: Float32Array): Float32Array {
  const length = Math.sqrt(x.reduce((sum, value) => sum + value * value, 0));
  return length > 0 ? x.map((value) => value / length) : x;
}
