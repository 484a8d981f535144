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
 * | temperature alone | 1 |
 * | min-p without the others | 2 |
 * | top-k above 64, top-p without top-k | 3 |
 *
 * Penalties belong to the first of them.
 */
import { assert } from "../common/assert.ts";
import type { Recorder, Span } from "../vulkan/mod.ts";
import type { KernelSet } from "./kernel_set.ts";
import { SAMPLER_PARAMS_BYTES } from "./sample_params.ts";
import { hasPenalties, type SamplingOptions } from "./sampling_options.ts";
import { logitsError, RING_ERROR } from "./step_buffer.ts";

/** Largest top-k that is found by merging short lists; the k of `shaders/sample_top.comp`. */
export const TOP_K_LIST_MAX = 64;

/** Most tokens whose masses the sums of `sample_select.comp` hold. */
export const VOCABULARY_MAX = 2 ** 22 - 1;

/** Tokens per workgroup of `sample_top.comp`, and of the others. */
const TOP_CHUNK = 4096;
const CHUNK = 2048;
/** Lanes of a workgroup. A software device pays for every subgroup, a GPU needs many of them to hide latency. */
const LANES = { lanes: 64, teams: 256 };
/** Bytes of `SamplerScratch` before its entries: two counters, the best token, the selection, the histogram. */
const SCRATCH_HEADER_BYTES = 8 + 8 + 32 + 3 * 1024 * 4;
const ENTRY_BYTES = 8;

/** `FLAG_*` of `shaders/include/sample.glsl`. */
const FLAG = { topK: 1, topP: 2, first: 4, last: 8, penalties: 16 };

/**
 * A part of the chain: the penalties; the best token; the whole chain for a short list; the best token that others are
 * measured by; top-k by counting; top-p by summing; the draw.
 */
export type SamplerStage = "penalties" | "greedy" | "top" | "best" | "count" | "mass" | "draw";

/** Names the kernels that a set of options needs; recordings of one kind are interchangeable. */
export type SamplerKind = `${SamplerStage}` | `${SamplerStage}+${string}`;

/** The kind of recording that samples by `options`. */
export function samplerKind(options: SamplingOptions): SamplerKind {
  return samplerStages(options).join("+") as SamplerKind;
}

function samplerStages(options: SamplingOptions): SamplerStage[] {
  const { temperature, topK, topP, minP } = options;
  const stages: SamplerStage[] = hasPenalties(options) ? ["penalties"] : [];
  if (temperature === 0) return [...stages, "greedy"];
  if (topK >= 1 && topK <= TOP_K_LIST_MAX) return [...stages, "top"];
  if (topK > 0 || topP < 1 || minP > 0) stages.push("best");
  if (topK > 0) stages.push("count");
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
  /** `[vocabulary]` f32 of the step's last row, from a multiple of 16; the penalties may change it. */
  readonly logits: Span;
  /** u32 entries in host-visible memory, one per step; see {@linkcode ringToken}. */
  readonly ring: Span;
  /** Number of tokens. */
  readonly vocabulary: number;
}

/** Bytes of scratch memory for a vocabulary. */
export function samplerScratchBytes(vocabulary: number): number {
  const shortLists = Math.ceil(vocabulary / TOP_CHUNK) * TOP_K_LIST_MAX;
  // Two entries per workgroup, then a list of tokens.
  const entries = 2 * Math.ceil(vocabulary / CHUNK) + vocabulary;
  return SCRATCH_HEADER_BYTES + Math.max(shortLists, entries) * ENTRY_BYTES;
}

/** Records the dispatches that choose a token and advance the step. */
export function recordSampler(gpu: SamplerGpu, kind: SamplerKind): void {
  const { vocabulary, logits, params, scratch, ring } = gpu;
  assert(vocabulary >= 1 && vocabulary <= VOCABULARY_MAX, `A vocabulary of ${vocabulary} tokens`);
  assert(logits.bytes >= vocabulary * 4, "logits are shorter than the vocabulary");
  assert(logits.offset % 16 === 0, "logits are read 16 bytes at a time");
  assert(params.bytes >= SAMPLER_PARAMS_BYTES, "sampler parameters are too short");
  assert(scratch.bytes >= samplerScratchBytes(vocabulary), "sampler scratch memory is too short");
  assert(ring.bytes >= 4, "the ring is empty");
  const stages = new Set(kind.split("+") as SamplerStage[]);
  const chunks = Math.ceil(vocabulary / CHUNK);
  const first = FLAG.first | (stages.has("penalties") ? FLAG.penalties : 0);
  const filters = (stages.has("count") ? FLAG.topK : 0) | (stages.has("mass") ? FLAG.topP : 0);

  if (stages.has("greedy")) dispatch(gpu, "sample_max", chunks, first | FLAG.last);
  if (stages.has("top")) dispatch(gpu, "sample_top", Math.ceil(vocabulary / TOP_CHUNK), first | FLAG.last);
  if (stages.has("best")) dispatch(gpu, "sample_max", chunks, first);
  if (filters !== 0) dispatch(gpu, "sample_select", chunks, filters);
  if (stages.has("draw")) {
    dispatch(gpu, "sample_draw", chunks, FLAG.last | (stages.has("best") ? filters : first));
  }
}

function dispatch(gpu: SamplerGpu, name: SamplerKernel, workgroups: number, flags: number): void {
  const { kernels, recorder, step, params, scratch, logits, ring, vocabulary } = gpu;
  const constants = { WORKGROUP: kernels.workgroup(LANES[kernels.strategy]), FLAGS: flags };
  const ringLength = Math.floor(ring.bytes / 4);
  recorder.dispatch(kernels.get(name, { constants }), {
    workgroups: [workgroups, 1, 1],
    push: { step, params, scratch, logits, ring, ringLength, vocabulary },
    reads: [],
    writes: [step, params, scratch, logits, ring],
  });
}

/** Names in the shader manifest. */
type SamplerKernel = "sample_max" | "sample_top" | "sample_select" | "sample_draw";

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
