/**
 * Rotary frequencies: every scaling scheme ends in one angle per position and pair, and one magnitude.
 *
 * Linear scaling: https://arxiv.org/abs/2306.15595. YaRN: https://arxiv.org/abs/2309.00071 (its correction
 * range is rounded unless the file says otherwise). Llama-3 and LongRoPE factors come as tensors in the file.
 */
import { UserError } from "../../common/errors.ts";
import type { Weight } from "../../kernels/operation.ts";
import type { ModelBuilder } from "../model_builder.ts";

/** What differs from the file's plain keys. */
export interface RopeSettings {
  /** Base of the geometric series; the file's `rope.freq_base` by default. */
  readonly base?: number;
  /** Rotated elements per head; the config's by default. */
  readonly rotaryDim?: number;
  /** Whether the file's scaling keys apply (Gemma 3's local layers ignore them). */
  readonly scaled?: boolean;
}

/** A table of angles, and the factor on rotated values. */
export interface RopeTable {
  readonly frequencies: Weight;
  readonly magnitude: number;
  readonly rotaryDim: number;
}

/** The rotation that the file's metadata and tensors describe. */
export function ropeTable(m: ModelBuilder, settings: RopeSettings = {}): RopeTable {
  const { keys } = m.config;
  const rotaryDim = settings.rotaryDim ?? m.config.rotaryDim;
  const base = settings.base ?? keys.positive("rope.freq_base", 10000);
  const type = settings.scaled === false ? "none" : keys.string("rope.scaling.type", defaultScaling(m));
  if (rotaryDim < 2 || rotaryDim % 2 !== 0) {
    throw new UserError(
      `Cannot rotate ${rotaryDim} elements of a head: "rope.dimension_count" must be even and above 0`,
    );
  }
  const factor = type === "none"
    ? 1
    : keys.nonNegative("rope.scaling.factor", keys.nonNegative("rope.scale_linear", 1));
  const scale = factor === 0 ? 1 : 1 / factor;
  const name = `rope:${base}:${rotaryDim}:${type}`;
  const magnitude = settings.scaled === false ? 1 : keys.positive("rope.scaling.attn_factor", 1);
  const plain = () => Float32Array.from({ length: rotaryDim / 2 }, (_, i) => base ** (-2 * i / rotaryDim));
  switch (type) {
    case "none":
    case "linear":
    case "longrope": {
      const divisors = settings.scaled === false ? undefined : divisorTensor(m);
      const frequencies = m.tensors.constant(`${name}:${divisors ?? ""}`, () => {
        const divisor = divisors === undefined ? undefined : m.tensors.values(divisors, rotaryDim / 2);
        return plain().map((f, i) => f * scale / (divisor ? divisor[i] : 1));
      });
      return { frequencies, magnitude, rotaryDim };
    }
    case "yarn": {
      const frequencies = m.tensors.constant(name, () => yarn(m, plain(), base, scale));
      return { frequencies, magnitude: magnitude * yarnMagnitude(m, 1 / scale), rotaryDim };
    }
    default:
      throw new UserError(`Cannot use rope scaling type "${type}" (supported: none, linear, yarn, longrope)`);
  }
}

/** Without a type, the presence of a factor means linear scaling. */
function defaultScaling(m: ModelBuilder): string {
  const { keys } = m.config;
  return keys.has("rope.scaling.factor") || keys.has("rope.scale_linear") ? "linear" : "none";
}

/** The tensor of divisors of the frequencies: llama-3's, or LongRoPE's for short or long contexts. */
function divisorTensor(m: ModelBuilder): string | undefined {
  const long = m.contextLength > originalContext(m)
    ? "rope_factors_long.weight"
    : "rope_factors_short.weight";
  return [long, "rope_freqs.weight"].find((name) => m.tensors.has(name));
}

/** Positions that the model saw before its context was stretched. */
function originalContext(m: ModelBuilder): number {
  return m.config.keys.positive("rope.scaling.original_context_length", m.config.contextLength);
}

/**
 * YaRN's factor on queries and keys: the file's, or that of YaRN. With a log multiplier, `mscale / mscale_all_dim` of the original
 * configuration: the file keeps only the latter, and the former is 1 wherever it matters.
 */
function yarnMagnitude(m: ModelBuilder, factor: number): number {
  const { keys } = m.config;
  const multiplier = keys.number("rope.scaling.yarn_log_multiplier", 0);
  const usual = multiplier === 0 ? mscale(factor, 1) : mscale(factor, 1) / mscale(factor, multiplier);
  return keys.positive("rope.scaling.yarn_attn_factor", usual);
}

/** `0.1 * multiplier * ln(factor) + 1`, and 1 where the context is not stretched: YaRN, section 3.4. */
export function mscale(factor: number, multiplier: number): number {
  return factor <= 1 ? 1 : 0.1 * multiplier * Math.log(factor) + 1;
}

/** YaRN: high frequencies stay, low ones are interpolated, a ramp between the two correction dimensions. */
function yarn(m: ModelBuilder, plain: Float32Array, base: number, scale: number): Float32Array {
  const { keys } = m.config;
  const rotaryDim = 2 * plain.length;
  const dimension = (rotations: number) =>
    rotaryDim * Math.log(originalContext(m) / (rotations * 2 * Math.PI)) / (2 * Math.log(base));
  const [floor, ceil] = keys.boolean("rope.scaling.yarn_truncate", true)
    ? [Math.floor, Math.ceil]
    : [Number, Number];
  const low = Math.max(0, floor(dimension(keys.positive("rope.scaling.yarn_beta_fast", 32))));
  const high = Math.min(rotaryDim - 1, ceil(dimension(keys.positive("rope.scaling.yarn_beta_slow", 1))));
  return plain.map((f, i) => {
    const ramp = 1 - Math.min(1, Math.max(0, (i - low) / Math.max(0.001, high - low)));
    return f * scale * (1 - ramp) + f * ramp;
  });
}
