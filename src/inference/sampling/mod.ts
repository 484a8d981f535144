/** Sampling: options, and the readable chain from logits to a token. */
export type { SamplingOptions } from "../../kernels/sampling_options.ts";
export { resolveSampling, SAMPLING_DEFAULTS, SAMPLING_RANGES } from "./options.ts";
export type { SamplingLabel, SamplingRange } from "./options.ts";
export { Sampler } from "./sampler.ts";
