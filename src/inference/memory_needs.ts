/** What a model needs of a device's memory, known before any of it is taken; and what to lower where that is too much. */
import { formatBytes } from "../common/byte_size.ts";
import { UserError } from "../common/errors.ts";
import { weightBytes } from "../graph/device_weights.ts";
import { dryRun, type Workspace } from "../graph/dry_run.ts";
import { overheadBytes, stateBytes } from "../graph/vulkan_sequence.ts";
import type { CacheTypes } from "../kernels/cache_types.ts";
import type { KernelSet } from "../kernels/kernel_set.ts";
import type { OpenModel } from "../models/open_model.ts";
import type { Device } from "../vulkan/mod.ts";
import { samplerBytes } from "./device_sampler.ts";
import { cacheTypesOf, largestBatch, sequenceBytes } from "./sequence_size.ts";

/** Choices that decide how much memory a sequence takes. */
export interface SequenceChoices {
  readonly contextLength: number;
  readonly ubatch: number;
  readonly cacheTypes: CacheTypes;
}

/** Bytes of device memory. */
export interface MemoryNeeds {
  readonly weights: number;
  /** Cached keys and values, recurrent state and its checkpoint. */
  readonly state: number;
  /** Activations, scratch memory of kernels, and what carries tokens and results between host and device. */
  readonly working: number;
  /** What of `working` the plans take. */
  readonly workspace: Workspace;
}

/** A model and one sequence of it need more memory than there is; nothing has been taken yet. */
export class DoesNotFitError extends UserError {}

/** Rows of the batches whose kernels may work in parts that have to be joined, besides the largest. */
const SMALL_BATCHES = [1, 8];
/** Least context worth having. */
const CONTEXT_MIN = 256;
/** A batch whose activations hardly count. */
const UBATCH_SMALL = 32;
const SMALL_CACHE: CacheTypes = { keys: "q8_0", values: "q8_0" };
const F32_BYTES = 4;
/** Room for buffers that begin at round addresses. */
const SLACK_BYTES = 1 << 20;

/** Memory that the plans of `model` work in, for batches of up to `ubatch` tokens. */
export function workspaceOf(
  model: OpenModel,
  kernels: KernelSet,
  { contextLength: contextBucket, ubatch, cacheTypes }: SequenceChoices,
): Workspace {
  const largest = largestBatch(model, ubatch);
  const options = { kernels, contextBucket, cacheTypes };
  const runs = [...SMALL_BATCHES.filter((rows) => rows < largest), largest].map((rows) => {
    const outputs = model.family.kind === "encoder" ? rows : 1;
    return dryRun(model.build(rows, outputs), options);
  });
  if (model.family.encode) runs.push(dryRun(model.build(largest, 1, "encode"), options));
  return {
    arenaBytes: Math.max(...runs.map(({ arenaBytes }) => arenaBytes)),
    scratchBytes: Math.max(...runs.map(({ scratchBytes }) => scratchBytes)),
  };
}

/** What `model` and one sequence of it need. */
export function memoryNeeds(model: OpenModel, kernels: KernelSet, choices: SequenceChoices): MemoryNeeds {
  const { contextLength, ubatch, cacheTypes } = choices;
  const { tensors, states, config, family } = model;
  const batch = largestBatch(model, ubatch);
  const workspace = workspaceOf(model, kernels, choices);
  const recurrent = states.slots.filter(({ kind }) => kind === "recurrent");
  const result = F32_BYTES * (family.kind === "encoder" ? batch * config.hidden : config.vocab);
  return {
    weights: weightBytes([...tensors.weights.values(), ...tensors.constants.values()]),
    state: sequenceBytes(model, contextLength, cacheTypes) + stateBytes(recurrent, contextLength, cacheTypes),
    working: workspace.arenaBytes + workspace.scratchBytes + overheadBytes(batch) +
      samplerBytes(config.vocab) + result + SLACK_BYTES,
    workspace,
  };
}

/**
 * What `model` and one sequence of it need, which fits the memory that `device` has free.
 *
 * @param fewerPositions How to ask for a context of so many positions.
 * @throws DoesNotFitError when it does not, with numbers and what to lower.
 */
export function checkMemory(
  model: OpenModel,
  kernels: KernelSet,
  device: Pick<Device, "info" | "memoryBudget">,
  choices: SequenceChoices,
  fewerPositions: (count: number) => string = (count) => `-c ${count}`,
): MemoryNeeds {
  const { free, total } = device.memoryBudget();
  const needs = memoryNeeds(model, kernels, choices);
  if (sumOf(needs) <= free) return needs;
  const { flags, contextLength } = whatToLower(model, kernels, choices, free);
  const advice = contextLength === undefined ? flags : [...flags, fewerPositions(contextLength)];
  throw new DoesNotFitError(
    `Cannot load "${model.file.path}": it needs ${
      formatBytes(sumOf(needs))
    } on ${device.info.name} (weights ` +
      `${formatBytes(needs.weights)}, context of ${choices.contextLength} ${formatBytes(needs.state)}, ` +
      `working memory ${formatBytes(needs.working)}), ${formatBytes(free)} of ${
        formatBytes(total)
      } are free; ` +
      (advice.length > 0 ? `try ${advice.join(" or ")}` : "choose a smaller model or quantization"),
  );
}

/** Flags and a context of which each by itself would make `model` fit into `free` bytes, those that cost least first. */
function whatToLower(
  model: OpenModel,
  kernels: KernelSet,
  choices: SequenceChoices,
  free: number,
): { flags: string[]; contextLength?: number } {
  const spare = (changes: Partial<SequenceChoices>) =>
    free - sumOf(memoryNeeds(model, kernels, { ...choices, ...changes }));
  const flags: string[] = [];
  const { ubatch, cacheTypes, contextLength } = choices;
  if (model.family.kind === "decoder" && ubatch > UBATCH_SMALL && spare({ ubatch: UBATCH_SMALL }) >= 0) {
    flags.push(`--ubatch ${UBATCH_SMALL}`);
  }
  const small = smallCacheOf(model);
  const shrinks = small && (small.keys !== cacheTypes.keys || small.values !== cacheTypes.values);
  if (shrinks && spare({ cacheTypes: small }) >= 0) flags.push("--cache-type-k q8_0 --cache-type-v q8_0");
  const perPosition =
    (sequenceBytes(model, contextLength, cacheTypes) - sequenceBytes(model, 0, cacheTypes)) / contextLength;
  const room = contextLength + spare({}) / perPosition;
  return room >= CONTEXT_MIN ? { flags, contextLength: 2 ** Math.floor(Math.log2(room)) } : { flags };
}

/** The smallest cache that the heads of `model` can have, if that is another than the usual. */
function smallCacheOf(model: OpenModel): CacheTypes | undefined {
  try {
    return cacheTypesOf(model, SMALL_CACHE);
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

function sumOf({ weights, state, working }: MemoryNeeds): number {
  return weights + state + working;
}
