/**
 * Sizes of `matvec_dot` (shaders/matvec_dot.comp), the product of a matrix and a few vectors on GPUs: how rows are cut into
 * slices, how many rows a workgroup has at a time and in all.
 */
import type { FormatName } from "../quant/formats.ts";
import type { KernelSet } from "./kernel_set.ts";
import { powerOfTwoFrom, powerOfTwoUpTo } from "./teams.ts";

/** Weights that a lane multiplies at once, `GROUP` in `shaders/dots/`: quantized ones by integer dot products. */
const QUANT_GROUPS: Readonly<Partial<Record<FormatName, number>>> = {
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
const FLOAT_GROUPS: Readonly<Partial<Record<FormatName, number>>> = { f16: 32, bf16: 32, f32: 16 };

/** The formats that have an include in `shaders/dots/`. */
export const DOT_FORMATS = Object.keys({ ...FLOAT_GROUPS, ...QUANT_GROUPS }) as FormatName[];

/** Those among them that are multiplied as floats. */
export const DOT_FLOATS = Object.keys(FLOAT_GROUPS) as FormatName[];

/** What the sizes depend on. */
export interface DotShape {
  readonly format: FormatName;
  /** Of the product. */
  readonly rows: number;
  /** Of the weight. */
  readonly columns: number;
  /** Rows of the weight that follow each other in one row of the product. */
  readonly segments?: number;
  /** Matrices that share x. */
  readonly matrices: 1 | 2;
  /** Rows of x. */
  readonly tokens: number;
  /** Products of this shape in one dispatch, where `tokens` are the rows of x of each. */
  readonly products?: number;
  /** Whether every row of x starts at a multiple of 16 bytes. */
  readonly aligned: boolean;
}

/** Constants of the kernel and its grid. */
export interface DotSizes {
  readonly constants: Readonly<Record<string, number | boolean>>;
  /** In x, over the rows of the product. */
  readonly rowWorkgroups: number;
  /** In y, over the rows of x or the products. */
  readonly tokenWorkgroups: number;
}

/** Workgroups that keep a large GPU busy: each has so many lanes and registers that hardly more run at a time. */
const BUSY_WORKGROUPS = 128;
/** Lanes of a workgroup, unless its slices come out larger. */
const LANES = 512;
const LANES_MAX = 768;
/** A workgroup has at least one lane for so many elements of x, which it has to prepare. */
const ELEMENTS_PER_LANE = 8;
/** Bytes of shared memory for x, and for the sums of a chunk of rows: within the 48 KiB of common GPUs. */
const X_BYTES = 38 * 1024;
const SUM_BYTES = 8 * 1024;
/** Tiles of a workgroup from which on twice as many rows at a time are worth a coarser distribution of the rows. */
const MANY_TILES = 8;
/**
 * Rows of all matrices that a team may have at a time, in workgroups of up to {@linkcode LANES} lanes and in larger ones: as
 * many as fit into the registers of an NVIDIA card, 128 and 80 a lane. Weights that have been asked for wait there, and only
 * 60 KB of them or more on each multiprocessor keep its memory busy.
 */
const STREAMS: Readonly<Partial<Record<FormatName, readonly [number, number]>>> = {
  q4_0: [8, 4],
  q4_1: [8, 4],
  q5_0: [8, 4],
  q5_1: [8, 4],
  mxfp4: [8, 4],
  q8_0: [4, 2],
  q4_k: [4, 1],
  q5_k: [4, 1],
  q6_k: [2, 1],
  f16: [2, 1],
  bf16: [2, 1],
  f32: [2, 1],
};
/** Most sums of a team: more do not fit into the registers of RDNA 3. */
const SUMS_MAX = 8;

/** The sizes for `shape`, or undefined where another kernel has to serve. */
export function dotSizes(kernels: KernelSet, shape: DotShape): DotSizes | undefined {
  const { format, rows, columns, segments = 1, matrices } = shape;
  const group = groupOf(kernels, format);
  // Four lanes together find the scale of 32 elements of x.
  if (!group || columns % group !== 0 || kernels.subgroup < 4) return undefined;
  const tokens = Math.min(powerOfTwoFrom(shape.tokens), SUMS_MAX / matrices);
  const tokenWorkgroups = shape.products ?? Math.ceil(shape.tokens / tokens);
  const groups = columns * segments / group;
  const team = Math.min(powerOfTwoFrom(groups), kernels.subgroup);
  // Two bytes an element and at most 8 bytes of scales per 16, or float32.
  const bytes = team * group * tokens * (format in FLOAT_GROUPS ? 4 : 2.5);
  const { slices, parted } = cutIntoSlices(kernels, Math.ceil(groups / team), team, bytes);
  const busy = Math.ceil(BUSY_WORKGROUPS / tokenWorkgroups);
  const teams = rowTeams(kernels, { rows, lanes: slices * team, elements: columns * segments, busy });
  const workgroup = teams * slices * team;
  const teamRows = Math.min(
    mostRows(format, matrices, workgroup),
    powerOfTwoUpTo(SUMS_MAX / (matrices * tokens)),
    powerOfTwoUpTo(Math.max(1, 2 * rows / (teams * MANY_TILES * busy))),
  );
  const tileRows = teamRows * teams;
  const tiles = Math.ceil(rows / tileRows);
  const share = Math.ceil(tiles / busy);
  const tileBytes = tileRows * tokens * matrices * slices * 4;
  const constants = {
    WORKGROUP: workgroup,
    TEAM: team,
    ROWS: teamRows,
    TOKENS: tokens,
    SLICES: slices,
    ALIGNED: shape.aligned,
    SHARE: share,
    CHUNK: Math.max(1, Math.min(share, Math.floor(SUM_BYTES / tileBytes))),
    PARTED: parted,
  };
  return { constants, rowWorkgroups: Math.ceil(tiles / share), tokenWorkgroups };
}

/** Rows that a team may have at a time, of one matrix or of each of two. */
function mostRows(format: FormatName, matrices: number, workgroup: number): number {
  const [streams, wideStreams] = STREAMS[format]!;
  return Math.max(1, (workgroup > LANES ? wideStreams : streams) / matrices);
}

function groupOf(kernels: KernelSet, format: FormatName): number | undefined {
  if (kernels.dots === "none") return undefined;
  return FLOAT_GROUPS[format] ?? (kernels.dots === "all" ? QUANT_GROUPS[format] : undefined);
}

/** Slices of a row, and whether x has more than what they cover: as many as lanes and shared memory allow, in equal parts. */
function cutIntoSlices(kernels: KernelSet, all: number, team: number, sliceBytes: number) {
  const bytes = Math.min(X_BYTES, kernels.device.info.maxSharedBytes - SUM_BYTES - 2048);
  const most = Math.max(1, Math.floor(Math.min(mostLanes(kernels) / team, bytes / sliceBytes)));
  const slices = Math.ceil(all / Math.ceil(all / most));
  return { slices, parted: slices < all };
}

/** What {@linkcode rowTeams} looks at; `lanes` share a row, `busy` workgroups are wanted. */
interface TeamShape {
  readonly rows: number;
  readonly lanes: number;
  readonly elements: number;
  readonly busy: number;
}

/** Rows that a workgroup has at a time: fewer where the matrix has few rows, but enough lanes to prepare x. */
function rowTeams(kernels: KernelSet, { rows, lanes, elements, busy }: TeamShape): number {
  const most = mostLanes(kernels);
  const fewest = Math.min(most, Math.max(kernels.subgroup, 128, elements / ELEMENTS_PER_LANE));
  let teams = powerOfTwoFrom(LANES / lanes);
  while (teams > 1 && (teams * lanes > most || (rows / teams < busy && teams * lanes >= 2 * fewest))) {
    teams /= 2;
  }
  return Math.max(teams, kernels.subgroup / Math.min(lanes, kernels.subgroup));
}

function mostLanes(kernels: KernelSet): number {
  return Math.min(LANES_MAX, kernels.workgroup(1024));
}
