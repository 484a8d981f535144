/**
 * The pipelines that a model can make the scheduler choose, found without running it, by dry runs of its graphs. No memory is
 * allocated, so that a model of any size can be asked about, on any driver that compiles.
 */
import type { Graph } from "../../src/graph/builder.ts";
import { dryRun, notingRecorder, nowhere } from "../../src/graph/dry_run.ts";
import type { CacheType, CacheTypes } from "../../src/kernels/cache_types.ts";
import { type KernelName, type KernelOptions, KernelSet } from "../../src/kernels/kernel_set.ts";
import { recordSampler, type SamplerKind, samplerScratchBytes } from "../../src/kernels/sample.ts";
import { SAMPLER_PARAMS_BYTES } from "../../src/kernels/sample_params.ts";
import { stepBytes } from "../../src/kernels/step_buffer.ts";
import type { OpenModel } from "../../src/models/open_model.ts";
import type { ComputePipeline, Device, Recorder } from "../../src/vulkan/mod.ts";

/** A pipeline and what asks for it. */
export interface ChosenPipeline {
  readonly pipeline: ComputePipeline;
  /** Name of the kernel, and the block format where it reads weights. */
  readonly kernel: string;
  /** Specialization constants that its caller chose, `WORKGROUP=128 TEAM=32`; those that are 0 or false are left out. */
  readonly constants: string;
  /** Dispatches in a step of one token at the largest context; 0 for one that only prompts or other contexts use. */
  readonly decodeDispatches: number;
}

/** Rows per step: generation, the few rows where products change their form, and whole batches of a prompt. */
const BATCHES = [1, 2, 3, 4, 5, 8, 16, 64, 512];
/** Context that plans are recorded for, beside the largest. */
const SMALLEST_BUCKET = 256;
/** Together these use every kernel of the sampler. */
const SAMPLERS: readonly SamplerKind[] = ["greedy", "top", "draw", "penalties+best+count+mass+draw"];

/** All pipelines for `model` on `device`, compiled, in order of their first use. */
export function chosenPipelines(
  model: OpenModel,
  device: Device,
  options: { readonly subgroupSize?: number; readonly cacheType?: CacheType } = {},
): ChosenPipeline[] {
  const { subgroupSize, cacheType = "f16" } = options;
  const notes = new NotingKernels(device, { subgroupSize });
  const cacheTypes = { keys: cacheType, values: cacheType };
  for (let bucket = SMALLEST_BUCKET; bucket < model.contextLength; bucket *= 2) {
    record(model.build(1, 1), notes, bucket, cacheTypes);
  }
  for (const tokens of BATCHES.filter((count) => count <= model.contextLength)) {
    record(model.build(tokens, 1), notes, model.contextLength, cacheTypes);
  }
  for (const kind of SAMPLERS) recordSampling(model, notes, kind);
  notes.dispatches.clear();
  record(model.build(1, 1), notes, model.contextLength, cacheTypes);
  return notes.found.map((found) => ({
    ...found,
    decodeDispatches: notes.dispatches.get(found.pipeline) ?? 0,
  }));
}

/** Hands out real pipelines and remembers what was asked for and how often each was dispatched. */
class NotingKernels extends KernelSet {
  readonly found: Omit<ChosenPipeline, "decodeDispatches">[] = [];
  readonly dispatches = new Map<ComputePipeline, number>();

  override get<K extends KernelName>(name: K, options: KernelOptions<K> = {}): ComputePipeline {
    const pipeline = super.get(name, options);
    if (!this.found.some((known) => known.pipeline === pipeline)) {
      const constants = Object.entries(options.constants ?? {}).filter(([, value]) => Number(value) !== 0)
        .map(([key, value]) => `${key}=${Number(value)}`);
      const kernel = options.format ? `${name}.${options.format}` : name;
      this.found.push({ pipeline, kernel, constants: constants.join(" ") });
    }
    return pipeline;
  }

  /** Counts the dispatches of each pipeline. */
  readonly recorder: Recorder = notingRecorder(this, (pipeline) => {
    this.dispatches.set(pipeline, (this.dispatches.get(pipeline) ?? 0) + 1);
  });
}

function record(
  graph: Graph,
  kernels: NotingKernels,
  contextBucket: number,
  cacheTypes: CacheTypes,
): void {
  dryRun(graph, { kernels, recorder: kernels.recorder, contextBucket, cacheTypes });
}

function recordSampling(model: OpenModel, kernels: NotingKernels, kind: SamplerKind): void {
  const { vocab } = model.config;
  recordSampler({
    kernels,
    recorder: kernels.recorder,
    step: nowhere(stepBytes(1)),
    params: nowhere(SAMPLER_PARAMS_BYTES),
    scratch: nowhere(samplerScratchBytes(vocab)),
    ring: nowhere(4),
    logits: nowhere(vocab * 4),
    vocabulary: vocab,
  }, kind);
}
