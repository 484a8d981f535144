/** Flags that say how tokens are chosen. */
import { type Command, InvalidArgumentError } from "commander";
import { resolveSampling, SAMPLING_DEFAULTS, type SamplingOptions } from "../inference/sampling/mod.ts";

/** Values of the flags. */
export interface SamplingFlags {
  /** `--temp`. */
  readonly temp?: number;
  /** `--top-k`. */
  readonly topK?: number;
  /** `--top-p`. */
  readonly topP?: number;
  /** `--min-p`. */
  readonly minP?: number;
  /** `--repeat-penalty`. */
  readonly repeatPenalty?: number;
  /** `--repeat-last-n`. */
  readonly repeatLastN?: number;
  /** `--presence-penalty`. */
  readonly presencePenalty?: number;
  /** `--frequency-penalty`. */
  readonly frequencyPenalty?: number;
  /** `--seed`. */
  readonly seed?: number;
}

const NAMES: Record<keyof SamplingOptions, string> = {
  temperature: "--temp",
  topK: "--top-k",
  topP: "--top-p",
  minP: "--min-p",
  repeatPenalty: "--repeat-penalty",
  repeatLastN: "--repeat-last-n",
  presencePenalty: "--presence-penalty",
  frequencyPenalty: "--frequency-penalty",
  seed: "--seed",
};

const HELP: Record<keyof SamplingOptions, string> = {
  temperature: "0 always takes the likeliest token",
  topK: "keep the K likeliest tokens, 0 for all",
  topP: "keep the likeliest tokens that together have this probability",
  minP: "keep tokens at least this many times as likely as the likeliest",
  repeatPenalty: "divide the logits of recent tokens, 1 for none",
  repeatLastN: "how many recent tokens the penalties look at",
  presencePenalty: "subtract from the logits of recent tokens",
  frequencyPenalty: "subtract per occurrence of recent tokens",
  seed: "same seed, same text (default: random)",
};

/** Adds the flags. Their ranges are checked by {@linkcode samplingFromFlags}. */
export function addSamplingFlags(command: Command): Command {
  for (const option of Object.keys(NAMES) as (keyof SamplingOptions)[]) {
    const fallback = option === "seed" ? undefined : SAMPLING_DEFAULTS[option];
    const suffix = fallback === undefined ? "" : ` (default: ${fallback})`;
    command.option(`${NAMES[option]} <value>`, HELP[option] + suffix, parseNumber);
  }
  return command;
}

/** Complete sampling options. Throws a usage error that names the flag when a value is out of its range. */
export function samplingFromFlags({ temp, ...others }: SamplingFlags): SamplingOptions {
  const { topK, topP, minP, repeatPenalty, repeatLastN, presencePenalty, frequencyPenalty, seed } = others;
  return resolveSampling(
    {
      temperature: temp,
      topK,
      topP,
      minP,
      repeatPenalty,
      repeatLastN,
      presencePenalty,
      frequencyPenalty,
      seed,
    },
    (option) => NAMES[option],
  );
}

function parseNumber(text: string): number {
  const value = text.trim() === "" ? NaN : Number(text);
  if (Number.isFinite(value)) return value;
  throw new InvalidArgumentError("Expected a number");
}
