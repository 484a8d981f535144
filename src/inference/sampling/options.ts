/** Defaults and ranges of the sampling options. */
import { usageError } from "../../common/errors.ts";
import { REPEAT_LAST_N_MAX, type SamplingOptions } from "../../kernels/sampling_options.ts";

/** The defaults of llama.cpp, which its users' habits and published model settings assume. The seed is random. */
export const SAMPLING_DEFAULTS: Omit<SamplingOptions, "seed"> = {
  temperature: 0.8,
  topK: 40,
  topP: 0.95,
  minP: 0.05,
  repeatPenalty: 1,
  repeatLastN: 64,
  presencePenalty: 0,
  frequencyPenalty: 0,
};

/** Allowed values of one option. */
export interface SamplingRange {
  /** Smallest allowed value. */
  readonly min: number;
  /** Largest allowed value. */
  readonly max: number;
  /** Whether only whole numbers are allowed. */
  readonly integer?: boolean;
}

/** Allowed values of every option. A seed of -1 asks for a random one. */
export const SAMPLING_RANGES: Record<keyof SamplingOptions, SamplingRange> = {
  temperature: { min: 0, max: 100 },
  topK: { min: 0, max: 2 ** 31 - 1, integer: true },
  topP: { min: 0, max: 1 },
  minP: { min: 0, max: 1 },
  repeatPenalty: { min: 0.01, max: 100 },
  repeatLastN: { min: 0, max: REPEAT_LAST_N_MAX, integer: true },
  presencePenalty: { min: -100, max: 100 },
  frequencyPenalty: { min: -100, max: 100 },
  seed: { min: -1, max: Number.MAX_SAFE_INTEGER, integer: true },
};

/** What the caller's user knows an option as: `--top-k` on the command line, `top_k` over HTTP. */
export type SamplingLabel = (option: keyof SamplingOptions) => string;

/**
 * Fills in {@linkcode SAMPLING_DEFAULTS} and draws a seed where none (or -1) is given. An option that is `undefined`
 * counts as not given.
 *
 * @throws {UserError} with exit code 2 when a value is out of its range, named by `label`.
 */
export function resolveSampling(
  given: Partial<SamplingOptions> = {},
  label: SamplingLabel = (option) => option,
): SamplingOptions {
  const options: SamplingOptions = { ...SAMPLING_DEFAULTS, seed: -1, ...withoutUndefined(given) };
  for (const option of Object.keys(SAMPLING_RANGES) as (keyof SamplingOptions)[]) {
    checkRange(label(option), options[option], SAMPLING_RANGES[option]);
  }
  return options.seed === -1 ? { ...options, seed: randomSeed() } : options;
}

function withoutUndefined(given: Partial<SamplingOptions>): Partial<SamplingOptions> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function checkRange(name: string, value: number, { min, max, integer }: SamplingRange): void {
  // NaN fails both comparisons; a value of another type from untyped callers must not pass by coercion.
  if (typeof value === "number" && value >= min && value <= max && (!integer || Number.isInteger(value))) {
    return;
  }
  const kind = integer ? "a whole number" : "a number";
  throw usageError(`${name} must be ${kind} from ${min} to ${max}, got ${String(value)}`);
}

function randomSeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0];
}
