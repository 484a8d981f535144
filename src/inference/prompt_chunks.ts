/** Cuts a prompt into batches that an engine takes. */
import type { Batch } from "../kernels/operation.ts";

/**
 * Tokens of a prompt that are processed at a time, unless the caller says otherwise: many on a GPU, few on a CPU, where they are no
 * faster together and whoever stops the generation waits for them.
 */
export const DEFAULT_UBATCH = { gpu: 512, cpu: 16 } as const;

/** Batches of at most `ubatch` tokens, the first at `position`. */
export function* promptChunks(tokens: ArrayLike<number>, position: number, ubatch: number): Generator<Batch> {
  for (let start = 0; start < tokens.length; start += ubatch) {
    const end = Math.min(start + ubatch, tokens.length);
    const chunk = new Int32Array(end - start);
    for (let i = start; i < end; i++) chunk[i - start] = tokens[i];
    yield { tokens: chunk, position: position + start };
  }
}
