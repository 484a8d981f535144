/** Chooses how an attention dispatch cuts its work: rows per workgroup, lanes per value, parts of the context. */
import type { AttentionNode } from "./attention.ts";
import type { GpuContext } from "./operation.ts";
import { powerOfTwoUpTo } from "./teams.ts";

/** Sizes of a dispatch of `attention.comp`; `parts` is the number of pieces of the context. */
export interface AttentionPlan {
  readonly constants: Readonly<Record<string, number | boolean>>;
  readonly rowBlocks: number;
  readonly parts: number;
}

/** Rows that share one read of keys and values; more would not fit into registers. */
const ROWS_MAX = 8;
/** Output elements that a lane holds per row: two 16-byte loads of values. */
const ELEMENTS_PER_CHUNK = 8;
/** Floats of unfinished sums per lane, above which rows are taken apart. */
const SUMS_PER_LANE = 64;
const SHARED_BYTES = 24 * 1024;
/** Heads beyond this size take minutes to compile when every element has its own instructions. */
const UNROLLED_DIM_MAX = 256;

/** How finely a device wants its work cut. */
interface Grain {
  /** Subgroups of a workgroup. */
  readonly subgroups: number;
  /** Workgroups that fill the device. */
  readonly workgroups: number;
  /** Positions that are worth a workgroup of their own. */
  readonly positions: number;
}

const GPU_GRAIN: Grain = { subgroups: 4, workgroups: 512, positions: 128 };
const CPU_GRAIN: Grain = { subgroups: 1, workgroups: 2, positions: 512 };

/** The plan for `tokens` rows of queries. */
export function planAttention(gpu: GpuContext, node: AttentionNode, tokens: number): AttentionPlan {
  const { kernels, contextBucket } = gpu;
  const onCpu = kernels.strategy === "lanes";
  const grain = onCpu ? CPU_GRAIN : GPU_GRAIN;
  const { subgroup } = kernels;
  const workgroup = kernels.workgroup(grain.subgroups * subgroup);
  const valueChunks = Math.ceil(node.valueDim / ELEMENTS_PER_CHUNK);
  const valueLanes = Math.min(subgroup, powerOfTwoUpTo(2 * valueChunks - 1));
  const rows = rowsPerWorkgroup(node, tokens, {
    sumsPerRow: onCpu ? 1 : Math.ceil(valueChunks / valueLanes) * ELEMENTS_PER_CHUNK,
    sharedPerRow: onCpu ? 1 : (workgroup / subgroup * node.valueDim + node.headDim) * 4,
  });
  const rowBlocks = Math.ceil(tokens * (node.heads / node.kvHeads) / rows);
  const span = node.causal && node.window > 0 ? Math.min(contextBucket, node.window + tokens) : contextBucket;
  const wantedParts = Math.floor(grain.workgroups / (rowBlocks * node.kvHeads));
  const parts = Math.max(1, Math.min(wantedParts, Math.ceil(span / grain.positions)));
  const constants = {
    WORKGROUP: workgroup,
    HEAD_DIM: node.headDim,
    VALUE_DIM: node.valueDim,
    ROWS: rows,
    ALIGNED: [node.headDim, node.valueDim, node.keys.width, node.values.width].every((width) =>
      width % 8 === 0
    ),
    CAUSAL: node.causal,
    ENCODER: node.encoder ?? false,
    BROADCAST: onCpu && Math.max(node.headDim, node.valueDim) <= UNROLLED_DIM_MAX,
    VALUE_LANES: valueLanes,
  };
  return { constants, rowBlocks, parts };
}

function rowsPerWorkgroup(
  node: AttentionNode,
  tokens: number,
  cost: { sumsPerRow: number; sharedPerRow: number },
): number {
  const available = tokens * (node.heads / node.kvHeads);
  const fits = Math.min(SUMS_PER_LANE / cost.sumsPerRow, SHARED_BYTES / cost.sharedPerRow);
  return Math.max(1, Math.min(available, ROWS_MAX, Math.floor(fits)));
}
