/** Flags that say what keys and values are kept as: those of llama.cpp, by its names. */
import { type Command, Option } from "commander";
import { CACHE_TYPES, type CacheType, type CacheTypes } from "../kernels/cache_types.ts";

/** Values of the flags. */
export interface CacheFlags {
  /** `--cache-type-k`. */
  readonly cacheTypeK?: CacheType;
  /** `--cache-type-v`. */
  readonly cacheTypeV?: CacheType;
}

/** llama.cpp's short forms, which are more than one letter long, unlike any that the parser of arguments knows. */
const SHORT_FORMS: Readonly<Record<string, string>> = { "-ctk": "--cache-type-k", "-ctv": "--cache-type-v" };

/** Adds the flags. */
export function addCacheFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        "--cache-type-k <type>",
        "what keys are kept as, short -ctk: f16; f32, exact and twice as large; or q8_0, about half as large, for heads of a " +
          "multiple of 32 elements (default: f16; f32 behind an encoder or with --executor reference)",
      ).choices(CACHE_TYPES),
    )
    .addOption(
      new Option("--cache-type-v <type>", "the same for values, short -ctv").choices(CACHE_TYPES),
    );
}

/** `args` with the flags' short forms spelled out. */
export function withoutShortForms(args: readonly string[]): string[] {
  return args.map((arg) => SHORT_FORMS[arg] ?? arg);
}

/** What the flags ask for. */
export function cacheTypesFrom({ cacheTypeK, cacheTypeV }: CacheFlags): Partial<CacheTypes> {
  return { keys: cacheTypeK, values: cacheTypeV };
}
