/** Chooses the kernel of a matrix product and its sizes: by format, shape, number of tokens and device. */
import { FORMATS } from "../quant/formats.ts";
import { dotSizes } from "./dot_plan.ts";
import type { KernelSet } from "./kernel_set.ts";
import type { DeviceMatrix, DeviceWeight, Weight } from "./operation.ts";
import { planTiles } from "./matmul_tile_plan.ts";
import { powerOfTwoFrom, powerOfTwoUpTo } from "./teams.ts";

/** A kernel with its constants and grid. */
export interface MatmulPlan {
  readonly kernel: "matmul_coopmat" | "matmul_tile" | "matvec" | "matvec_any" | "matvec_dot" | "matvec_lanes";
  readonly constants: Readonly<Record<string, number | boolean>>;
  readonly workgroups: readonly [number, number, number];
}

/** What the choice depends on. */
export interface MatmulShape {
  readonly weight: Weight;
  readonly device: DeviceWeight;
  readonly x: DeviceMatrix;
  /** Matrices that share x. */
  readonly matrices: 1 | 2;
  /** Whether x is normalised first. */
  readonly norm: boolean;
}

/** Most rows of x that one pass over the weights serves. */
const TOKENS_MAX = 8;
/** Floats of x in shared memory: 18 KiB with padding, which leaves room for other workgroups. */
const TILE_FLOATS = 4096;

/** The plan for `shape` on the device of `kernels`. */
export function planMatmul(kernels: KernelSet, shape: MatmulShape): MatmulPlan {
  const { columns } = shape.weight;
  if (columns % FORMATS[shape.device.format].chunk !== 0) return planAny(kernels, shape);
  if (kernels.strategy === "lanes") return planLanes(kernels, shape);
  if (shape.x.rows <= TOKENS_MAX || shape.norm) {
    return planDots(kernels, shape) ?? planTeams(kernels, shape);
  }
  return planTiles(kernels, shape);
}

function planAny(kernels: KernelSet, { weight, x }: MatmulShape): MatmulPlan {
  const workgroup = kernels.workgroup();
  const team = Math.min(powerOfTwoUpTo(Math.max(1, weight.columns / 4)), workgroup);
  return {
    kernel: "matvec_any",
    constants: { WORKGROUP: workgroup, TEAM: team },
    workgroups: [Math.ceil(weight.rows / (workgroup / team)), x.rows, 1],
  };
}

function planLanes(kernels: KernelSet, { weight, x, matrices }: MatmulShape): MatmulPlan {
  const workgroup = kernels.subgroup;
  const tokens = x.rows === 1 ? 1 : TOKENS_MAX; // only two forms, because each takes a second to compile there
  const rows = 8 / matrices;
  return {
    kernel: "matvec_lanes",
    constants: { WORKGROUP: workgroup, ROWS: rows, TOKENS: tokens, ALIGNED: isAligned(x) },
    workgroups: [Math.ceil(weight.rows / (workgroup * rows)), Math.ceil(x.rows / tokens), 1],
  };
}

function planDots(kernels: KernelSet, { weight, device, x, matrices }: MatmulShape): MatmulPlan | undefined {
  const { format } = device;
  const { rows, columns } = weight;
  const sizes = dotSizes(kernels, {
    format,
    rows,
    columns,
    matrices,
    tokens: x.rows,
    aligned: isAligned(x),
  });
  if (!sizes) return undefined;
  const { constants, rowWorkgroups, tokenWorkgroups } = sizes;
  return { kernel: "matvec_dot", constants, workgroups: [rowWorkgroups, tokenWorkgroups, 1] };
}

function planTeams(kernels: KernelSet, { weight, device, x, matrices }: MatmulShape): MatmulPlan {
  const workgroup = kernels.workgroup();
  // Sixteen sums per lane, of two matrices four tokens at a time, is what fits into the registers of every GPU.
  const tokens = Math.min(tokensPerPass(x.rows), TOKENS_MAX / matrices);
  const rows = tokens === TOKENS_MAX ? 1 : 2 / matrices;
  // Shared memory that is not needed would only keep other workgroups away.
  const tile = Math.min(TILE_FLOATS / tokens, Math.max(32, powerOfTwoFrom(weight.columns)));
  const chunk = FORMATS[device.format].chunk;
  const team = Math.min(powerOfTwoUpTo(Math.min(weight.columns, tile) / chunk), kernels.subgroup);
  return {
    kernel: "matvec",
    constants: { WORKGROUP: workgroup, TEAM: team, ROWS: rows, TOKENS: tokens, TILE: tile },
    workgroups: [Math.ceil(weight.rows / ((workgroup / team) * rows)), Math.ceil(x.rows / tokens), 1],
  };
}

/** Whether every row starts at a multiple of 16 bytes. */
function isAligned({ span, stride }: DeviceMatrix): boolean {
  return span.offset % 16 === 0 && stride % 4 === 0;
}

/** Rows of x per pass: as few pipelines as powers of two allow. */
function tokensPerPass(tokens: number): number {
  return Math.min(powerOfTwoFrom(tokens), TOKENS_MAX);
}
