/**
 * Sampling on the device: from the logits of a step to the token of the next one, without the host.
 *
 * The rule is that of `src/inference/sampling`, which is its readable form, with the same random numbers. The last
 * dispatch advances the step buffer and writes the token to a ring that the host reads; once the step is `stopped`,
 * further steps change nothing. Which kernels run depends on the options ({@linkcode samplerKind}); their values do not
 * matter to a recording, so it serves every generation of its kind:
 *
 * | options | dispatches |
 * |---|---|
 * | temperature 0 | 1 |
 * | top-k from 1 to 64 | 1 |
 * | others | 2, and 3 each for top-k above 64 and top-p below 1 |
 * | penalties | 1 more |
 */
import { assert } from "../common/assert.ts";
import { type Recorder, type Span, span } from "../vulkan/mod.ts";
import type { KernelSet } from "./kernel_set.ts";
import { SAMPLER_PARAMS_BYTES } from "./sample_params.ts";
import { hasPenalties, type SamplingOptions } from "./sampling_options.ts";
import { logitsError, RING_ERROR } from "./step_buffer.ts";

/** Largest top-k that is found by merging short lists; the k of `shaders/sample_top.comp`. */
export const TOP_K_LIST_MAX = 64;

/** Tokens per workgroup of `sample_top.comp`, and of the others. */
const TOP_CHUNK = 4096;
const CHUNK = 2048;
/** Lanes of a workgroup. A software device pays for every subgroup, a GPU needs many of them to hide latency. */
const LANES = { lanes: 64, teams: 256 };
/** Levels of the histogram in `sample_select.comp`. */
const SELECT_LEVELS = 3;
/** Bytes of `SamplerScratch` before its entries. */
const SCRATCH_HEADER_BYTES = 16 + 2 * 24 + 2048 * 4;
const ENTRY_BYTES = 8;

/** A part of the chain that has kernels of its own. */
export type SamplerStage = "penalties" | "greedy" | "top" | "count" | "mass" | "draw";

/** Names the kernels that a set of options needs; recordings of one kind are interchangeable. */
export type SamplerKind = `${SamplerStage}` | `${SamplerStage}+${string}`;

/** The kind of recording that samples by `options`. */
export function samplerKind(options: SamplingOptions): SamplerKind {
  return samplerStages(options).join("+") as SamplerKind;
}

function samplerStages(options: SamplingOptions): SamplerStage[] {
  const { temperature, topK, topP } = options;
  const stages: SamplerStage[] = hasPenalties(options) ? ["penalties"] : [];
  if (temperature === 0) return [...stages, "greedy"];
  if (topK >= 1 && topK <= TOP_K_LIST_MAX) return [...stages, "top"];
  if (topK > TOP_K_LIST_MAX) stages.push("count");
  if (topP < 1) stages.push("mass");
  return [...stages, "draw"];
}

/** What the sampler's kernels work on. */
export interface SamplerGpu {
  /** The device's kernels. */
  readonly kernels: KernelSet;
  /** Takes the dispatches. */
  readonly recorder: Recorder;
  /** The step buffer; see `step_buffer.ts`. */
  readonly step: Span;
  /** See `sample_params.ts`; in device memory, since every kernel reads it. */
  readonly params: Span;
  /** {@linkcode samplerScratchBytes} bytes that nothing else uses, zeroed once before the first step. */
  readonly scratch: Span;
  /** `[vocabulary]` f32 of the step's last row, from a multiple of 16; the penalties change it. */
  readonly logits: Span;
  /** u32 entries in host-visible memory, one per step; see {@linkcode ringToken}. */
  readonly ring: Span;
  /** Number of tokens. */
  readonly vocabulary: number;
}

/** Bytes of scratch memory for a vocabulary: entries, then a count for every token. */
export function samplerScratchBytes(vocabulary: number): number {
  return countsOffset(vocabulary) + vocabulary * 4;
}

function countsOffset(vocabulary: number): number {
  const lists = Math.ceil(vocabulary / TOP_CHUNK) * TOP_K_LIST_MAX;
  const bests = Math.ceil(vocabulary / CHUNK);
  return SCRATCH_HEADER_BYTES + Math.max(lists, bests) * ENTRY_BYTES;
}

/** Records the dispatches that choose a token and advance the step. */
export function recordSampler(gpu: SamplerGpu, kind: SamplerKind): void {
  const { vocabulary, logits, params, scratch, ring } = gpu;
  assert(vocabulary >= 1 && vocabulary < RING_ERROR, `A vocabulary of ${vocabulary} tokens`);
  assert(logits.bytes >= vocabulary * 4, "logits are shorter than the vocabulary");
  assert(logits.offset % 16 === 0, "logits are read 16 bytes at a time");
  assert(params.bytes >= SAMPLER_PARAMS_BYTES, "sampler parameters are too short");
  assert(scratch.bytes >= samplerScratchBytes(vocabulary), "sampler scratch memory is too short");
  assert(ring.bytes >= 4, "the ring is empty");
  const stages = kind.split("+") as SamplerStage[];
  const filters = Number(stages.includes("count")) | (Number(stages.includes("mass")) << 1);
  const needsBest = stages.includes("draw");
  const chunks = Math.ceil(vocabulary / CHUNK);

  if (stages.includes("penalties")) dispatch(gpu, "sample_penalties", 1, 0);
  if (stages.includes("greedy")) dispatch(gpu, "sample_max", chunks, 0);
  if (stages.includes("top")) dispatch(gpu, "sample_top", Math.ceil(vocabulary / TOP_CHUNK), 0);
  if (needsBest) dispatch(gpu, "sample_max", chunks, 1);
  if (stages.includes("count")) recordSelect(gpu, chunks, 0);
  if (stages.includes("mass")) recordSelect(gpu, chunks, stages.includes("count") ? 3 : 1);
  if (needsBest) dispatch(gpu, "sample_draw", chunks, filters);
}

function recordSelect(gpu: SamplerGpu, chunks: number, what: number): void {
  for (let level = 0; level < SELECT_LEVELS; level++) {
    dispatch(gpu, "sample_select", chunks, what | (level << 2));
  }
}

function dispatch(gpu: SamplerGpu, name: SamplerKernel, workgroups: number, stage: number): void {
  const { kernels, recorder, step, params, scratch, logits, ring, vocabulary } = gpu;
  const counts = span(scratch.buffer, scratch.offset + countsOffset(vocabulary), vocabulary * 4);
  const constants = { WORKGROUP: kernels.workgroup(LANES[kernels.strategy]) };
  recorder.dispatch(kernels.get(name, { constants }), {
    workgroups: [workgroups, 1, 1],
    push: {
      step,
      params,
      scratch,
      counts,
      logits,
      ring,
      ringLength: Math.floor(ring.bytes / 4),
      vocabulary,
      stage,
    },
    reads: [],
    writes: [step, params, scratch, logits, ring],
  });
}

/** Names in the shader manifest. */
type SamplerKernel = "sample_penalties" | "sample_max" | "sample_top" | "sample_select" | "sample_draw";

/**
 * The token in a ring entry.
 *
 * @param where Names the device in the error.
 * @throws {UserError} when the step found logits that are not finite, or nothing to choose from.
 */
export function ringToken(entry: number, where?: string): number {
  if (entry >= RING_ERROR) throw logitsError(entry - RING_ERROR, where);
  return entry;
}
