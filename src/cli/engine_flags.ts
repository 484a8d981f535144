/** Flags of every command that runs a model, and the model that they ask for. */
import { type Command, Option } from "commander";
import { UserError } from "../common/errors.ts";
import type { ExecutorName, Model } from "../inference/load_model.ts";
import { DEFAULT_UBATCH } from "../inference/prompt_chunks.ts";
import { addCacheFlags, type CacheFlags, cacheTypesFrom } from "./cache_flags.ts";
import { wholeNumber } from "./flags.ts";
import { addModelFlag } from "./model_flags.ts";
import { findModelFile } from "./model_source.ts";
import { notice } from "./output.ts";
import { compileProgress, Progress } from "./progress.ts";

/** Values of the flags that say where a model runs. */
export interface ExecutorFlags {
  /** `--device`. */
  readonly device?: string;
  /** `--executor`. */
  readonly executor?: ExecutorName;
  /** `--ubatch`. */
  readonly ubatch?: number;
}

/** Values of all flags. */
export interface EngineFlags extends ExecutorFlags, CacheFlags {
  /** `-m`. */
  readonly model?: string;
  /** `-c`. */
  readonly ctx?: number;
}

const UBATCH_MAX = 16_384;

/** Adds all flags. */
export function addEngineFlags(command: Command): Command {
  addModelFlag(command).option(
    "-c, --ctx <tokens>",
    "context: prompt and reply together (default: the model's own, at most 4096)",
    wholeNumber(1),
  );
  return addExecutorFlags(addCacheFlags(command));
}

/** Adds the flags that say where a model runs. */
export function addExecutorFlags(command: Command): Command {
  return command
    .addOption(
      new Option("--device <device>", "number or part of the name of a device, see zinc devices").env(
        "ZINC_DEVICE",
      ),
    )
    .addOption(
      new Option("--executor <name>", "vulkan, or reference: plain TypeScript, slow, exact").choices([
        "vulkan",
        "reference",
      ])
        .default("vulkan"),
    )
    .option(
      "--ubatch <tokens>",
      `prompt tokens that are processed at a time (default: ${DEFAULT_UBATCH.gpu}, on a CPU ${DEFAULT_UBATCH.cpu})`,
      wholeNumber(1, UBATCH_MAX),
    );
}

/** Refuses models that make no text. */
export function requireText(model: Model): void {
  if (model.open.family.kind !== "encoder") return;
  throw new UserError(
    `Cannot generate text with "${model.path}": ${model.open.family.name} is an encoder, use zinc embed`,
  );
}

/** Loads the model that the flags ask for. */
export async function loadFromFlags(flags: EngineFlags): Promise<Model> {
  const path = await findModelFile(flags.model);
  // The drivers load on threads while the modules do here.
  if (flags.executor !== "reference") {
    await import("../vulkan/instance.ts").then(({ Instance }) => void Instance.wake());
  }
  const { loadModel } = await import("../inference/load_model.ts");
  using progress = await Progress.open();
  return await loadModel(path, {
    device: flags.device,
    executor: flags.executor,
    contextLength: flags.ctx,
    ubatch: flags.ubatch,
    cacheTypes: cacheTypesFrom(flags),
    onProgress: (done, total) => progress.update("loading", done, total),
    onCompile: compileProgress(),
    onWarning: notice,
  });
}
