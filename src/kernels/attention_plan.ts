/** Chooses how an attention dispatch cuts its work: rows per workgroup, lanes per value, parts of the context. */
import type { AttentionNode } from "./attention.ts";
import { planAttentionCoopmat } from "./attention_coopmat_plan.ts";
import type { CacheTypes } from "./cache_types.ts";
import { cacheTypeNumber } from "./kv_cache.ts";
import type { GpuContext } from "./operation.ts";
import { powerOfTwoFrom } from "./teams.ts";

/** A kernel with its constants and grid. */
export interface AttentionPlan {
  readonly kernel: "attention" | "attention_coopmat";
  readonly constants: Readonly<Record<string, number | boolean>>;
  readonly workgroups: readonly [number, number, number];
  /** Pieces of the context, whose results have to be joined. */
  readonly parts: number;
}

/** Rows that share one read of keys and values. */
const ROWS_MAX = 8;
/** Elements of a value that one lane adds up: a 16-byte load. */
const ELEMENTS_PER_CHUNK = 8;
/** Sums of one lane, all rows together, beyond which GPUs run short of registers. */
const SUMS_PER_LANE_MAX = 64;
/** Shared memory of a workgroup; every device has 16 KiB, all that matter have more. */
const SHARED_BYTES_MAX = 24 * 1024;
/** Elements of all rows' queries, beyond which software devices take seconds to compile the unrolled loops. */
const UNROLLED_ELEMENTS_MAX = 512;
/** Heads beyond this size are not unrolled there at all. */
const UNROLLED_DIM_MAX = 256;

/** The same on GPUs: larger heads would need more registers than keep the device full. */
const GPU_UNROLLED_DIM_MAX = 128;

/** Parts of the context that one workgroup can join: the size of arrays in shaders/attention.comp. */
const PARTS_MAX = 32;

/** How finely a device wants its work cut. */
interface Grain {
  /** Subgroups of a workgroup. */
  readonly subgroups: number;
  /** Workgroups that fill the device. */
  readonly workgroups: number;
  /** Positions that are worth a workgroup of their own. */
  readonly positions: number;
}

const GPU_GRAIN: Grain = { subgroups: 4, workgroups: 512, positions: 64 };
const CPU_GRAIN: Grain = { subgroups: 1, workgroups: 2, positions: 512 };

/** The plan for `tokens` rows of queries over a cache of these types. */
export function planAttention(
  gpu: GpuContext,
  node: AttentionNode,
  tokens: number,
  types: CacheTypes,
): AttentionPlan {
  return planAttentionCoopmat(gpu.kernels, node, tokens, types) ??
    planSubgroups(gpu, node, tokens, types);
}

/** For `attention.comp`. */
function planSubgroups(
  gpu: GpuContext,
  node: AttentionNode,
  tokens: number,
  types: CacheTypes,
): AttentionPlan {
  const { kernels, contextBucket } = gpu;
  const { headDim, valueDim, window } = node;
  const onCpu = kernels.strategy === "lanes";
  const grain = onCpu ? CPU_GRAIN : GPU_GRAIN;
  const { subgroup } = kernels;
  const workgroup = kernels.workgroup(grain.subgroups * subgroup);
  const valueChunks = Math.ceil(valueDim / ELEMENTS_PER_CHUNK);
  const valueLanes = Math.min(subgroup, powerOfTwoFrom(valueChunks));

  const sumsPerRow = Math.ceil(valueChunks / valueLanes) * ELEMENTS_PER_CHUNK;
  const sharedPerRow = (workgroup / subgroup * valueDim + headDim) * 4;
  const fitting = onCpu
    ? UNROLLED_ELEMENTS_MAX / Math.max(headDim, valueDim)
    : Math.min(SUMS_PER_LANE_MAX / sumsPerRow, SHARED_BYTES_MAX / sharedPerRow);
  const available = tokens * (node.heads / node.kvHeads);
  const rows = Math.max(1, Math.min(available, ROWS_MAX, Math.floor(fitting)));
  const rowBlocks = Math.ceil(available / rows);

  const span = node.causal && window > 0 ? Math.min(contextBucket, window + tokens) : contextBucket;
  const wantedParts = Math.floor(grain.workgroups / (rowBlocks * node.kvHeads));
  const parts = Math.max(1, Math.min(wantedParts, PARTS_MAX, Math.ceil(span / grain.positions)));
  const widths = [headDim, valueDim, node.keys.width, node.values.width];
  const constants = {
    WORKGROUP: workgroup,
    HEAD_DIM: headDim,
    VALUE_DIM: valueDim,
    ROWS: rows,
    KEY_TYPE: cacheTypeNumber(types.keys),
    VALUE_TYPE: cacheTypeNumber(types.values),
    ALIGNED: widths.every((width) => width % ELEMENTS_PER_CHUNK === 0),
    CAUSAL: node.causal,
    ENCODER: node.encoder ?? false,
    IN_REGISTERS: onCpu && Math.max(headDim, valueDim) <= UNROLLED_DIM_MAX,
    VALUE_LANES: valueLanes,
    SOFTCAP: node.softcap > 0,
    ALIBI: node.alibiSlopes !== undefined,
    BIAS: node.relativeBias !== undefined,
    TEMPERATURE: node.temperature !== undefined,
    KEY_WIDTH: node.keys.width,
    VALUE_WIDTH: node.values.width,
    UNROLLED: Math.max(headDim, valueDim) <= (onCpu ? UNROLLED_DIM_MAX : GPU_UNROLLED_DIM_MAX),
  };
  return { kernel: "attention", constants, workgroups: [rowBlocks, node.kvHeads, parts], parts };
}
