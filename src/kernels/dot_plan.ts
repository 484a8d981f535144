/**
 * Sizes of `matvec_dot` (shaders/matvec_dot.comp), the product of a matrix and a few vectors by integer dot products: how
 * rows are cut into slices, how many rows a workgroup has at a time and in all.
 */
import type { FormatName } from "../quant/formats.ts";
import type { KernelSet } from "./kernel_set.ts";
import type { MatmulPlan, MatmulShape } from "./matmul_plan.ts";
import { powerOfTwoUpTo } from "./teams.ts";

/** Weights that a lane multiplies at once, `GROUP` in `shaders/dots/`, for the formats that have an include there. */
export const DOT_GROUPS: Readonly<Partial<Record<FormatName, 32 | 64>>> = {
  q4_0: 32,
  q4_1: 32,
  q5_0: 32,
  q5_1: 32,
  q8_0: 32,
  q4_k: 64,
  q5_k: 64,
  q6_k: 64,
  mxfp4: 32,
};

/** Workgroups that keep a large GPU busy: each has so many lanes and registers that hardly more run at a time. */
const BUSY_WORKGROUPS = 128;
/** Lanes of a workgroup, unless its slices come out larger. */
const LANES = 512;
const LANES_MAX = 768;
/** Lanes with fewer elements of x than this would rather have more rows. */
const ELEMENTS_PER_LANE = 16;
/** Bytes of shared memory for x, and for the sums of a chunk of rows: within the 48 KiB of common GPUs. */
const X_BYTES = 38 * 1024;
const SUM_BYTES = 8 * 1024;
/** Tiles of a workgroup from which on two rows at a time are worth a coarser distribution of the rows. */
const MANY_TILES = 8;

/** The plan for `shape`, or undefined where another kernel has to serve. `tokens`: rows of x per pass, a power of two. */
export function planDots(kernels: KernelSet, shape: MatmulShape, tokens: number): MatmulPlan | undefined {
  const { weight, device, x, matrices } = shape;
  const group = DOT_GROUPS[device.format];
  // Four lanes together find the scale of 32 elements of x.
  if (!kernels.integerDots || !group || weight.columns % group !== 0 || kernels.subgroup < 4) {
    return undefined;
  }
  const groups = weight.columns / group;
  const team = Math.min(powerOfTwoFrom(groups), kernels.subgroup);
  const { slices, parted } = cutIntoSlices(kernels, Math.ceil(groups / team), team, group * tokens);
  const teams = rowTeams(kernels, weight.rows, weight.columns, slices * team);
  const rowsPerTeam = weight.rows >= teams * MANY_TILES * BUSY_WORKGROUPS && matrices * tokens <= 4 ? 2 : 1;
  const tileRows = teams * rowsPerTeam;
  const tiles = Math.ceil(weight.rows / tileRows);
  const share = Math.ceil(tiles / BUSY_WORKGROUPS);
  const tileBytes = tileRows * tokens * matrices * slices * 4;
  return {
    kernel: "matvec_dot",
    constants: {
      WORKGROUP: teams * slices * team,
      TEAM: team,
      ROWS: rowsPerTeam,
      TOKENS: tokens,
      SLICES: slices,
      ALIGNED: x.span.offset % 16 === 0 && x.stride % 4 === 0,
      SHARE: share,
      CHUNK: Math.max(1, Math.min(share, Math.floor(SUM_BYTES / tileBytes))),
      PARTED: parted,
    },
    workgroups: [Math.ceil(tiles / share), Math.ceil(x.rows / tokens), 1],
  };
}

/** Slices of a row, and whether x has more than what they cover: as many as lanes and shared memory allow, in equal parts. */
function cutIntoSlices(kernels: KernelSet, all: number, team: number, elements: number) {
  // Two bytes an element, and at most 8 bytes of scales per 16.
  const bytes = Math.min(X_BYTES, kernels.device.info.maxSharedBytes - SUM_BYTES - 2048);
  const most = Math.max(1, Math.min(mostLanes(kernels) / team, Math.floor(bytes / (team * elements * 2.5))));
  const slices = Math.ceil(all / Math.ceil(all / most));
  return { slices, parted: slices < all };
}

/** Rows that a workgroup has at a time: fewer where the matrix has few rows, but enough lanes to prepare x. */
function rowTeams(kernels: KernelSet, rows: number, columns: number, lanes: number): number {
  const most = mostLanes(kernels);
  const fewest = Math.min(most, Math.max(kernels.subgroup, 128, columns / ELEMENTS_PER_LANE));
  let teams = powerOfTwoFrom(LANES / lanes);
  while (
    teams > 1 && (teams * lanes > most || (rows / teams < BUSY_WORKGROUPS && teams * lanes >= 2 * fewest))
  ) {
    teams /= 2;
  }
  return Math.max(teams, kernels.subgroup / Math.min(lanes, kernels.subgroup));
}

function mostLanes(kernels: KernelSet): number {
  return Math.min(LANES_MAX, kernels.workgroup(1024));
}

/** The smallest power of two that is not below `value`, and at least 1. */
function powerOfTwoFrom(value: number): number {
  return powerOfTwoUpTo(Math.max(1, 2 * Math.ceil(value) - 1));
}
