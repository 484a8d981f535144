/**
 * What the device sampler knows about a generation, written by the host at its start: `SamplerParams` of
 * `shaders/include/sample.glsl`. The penalties' history goes on growing on the device.
 */
import { assert } from "../common/assert.ts";
import { REPEAT_LAST_N_MAX, type SamplingOptions } from "./sampling_options.ts";

/** Most end-of-generation tokens that the device compares with. */
export const END_OF_GENERATION_MAX = 64;

const U32_BYTES = 4;
const SCALARS = 14;

/** Bytes of the parameters. */
export const SAMPLER_PARAMS_BYTES = (SCALARS + END_OF_GENERATION_MAX + REPEAT_LAST_N_MAX) * U32_BYTES;

/** The rest of what {@linkcode writeSamplerParams} writes. */
export interface SamplerContext {
  /** Tokens after which the device stops by itself; empty to go on past them. */
  readonly endOfGeneration: Iterable<number>;
  /** Tokens before the first sampled one, oldest first; only the last {@linkcode REPEAT_LAST_N_MAX} matter. */
  readonly history: readonly number[];
}

/** Writes the parameters of a generation into `view`, {@linkcode SAMPLER_PARAMS_BYTES} long. */
export function writeSamplerParams(view: DataView, options: SamplingOptions, context: SamplerContext): void {
  assert(view.byteLength >= SAMPLER_PARAMS_BYTES, `Sampler parameters need ${SAMPLER_PARAMS_BYTES} bytes`);
  const stops = [...context.endOfGeneration];
  assert(stops.length <= END_OF_GENERATION_MAX, `${stops.length} end-of-generation tokens`);
  const history = context.history.slice(-REPEAT_LAST_N_MAX);
  let at = 0;
  const f32 = (value: number) => view.setFloat32(U32_BYTES * at++, value, true);
  const u32 = (value: number) => view.setUint32(U32_BYTES * at++, value, true);

  // Beyond 2^100 the factor tells no two logits apart that it does not already; float32 ends at 2^128.
  f32(Math.min(1 / options.temperature, 2 ** 100));
  u32(options.topK);
  f32(options.topP);
  // Rounded down, so that a share which tokens reach exactly asks for no further token.
  u32(Math.min(Math.floor(options.topP * 2 ** 32), 2 ** 32 - 1));
  f32(Math.max(Math.log(options.minP), -FLOAT32_MAX));
  f32(options.repeatPenalty);
  f32(1 / options.repeatPenalty);
  f32(options.presencePenalty);
  f32(options.frequencyPenalty);
  u32(options.repeatLastN);
  u32(options.seed >>> 0);
  u32(Math.floor(options.seed / 2 ** 32));
  u32(stops.length);
  for (let i = 0; i < END_OF_GENERATION_MAX; i++) u32(stops[i] ?? 0);
  u32(history.length);
  for (let i = 0; i < REPEAT_LAST_N_MAX; i++) u32(history[i] ?? 0);
  assert(at * U32_BYTES === SAMPLER_PARAMS_BYTES);
}

const FLOAT32_MAX = 3.4028234663852886e38;
