/**
 * Chooses tiles for the product of a matrix with many vectors: on matrix units where the device has them, else in
 * ordinary registers.
 */
import { assert } from "../common/assert.ts";
import type { CoopmatShape } from "../vulkan/cooperative_matrix.ts";
import type { KernelSet } from "./kernel_set.ts";
import type { MatmulPlan, MatmulShape } from "./matmul_plan.ts";

/** What one workgroup of `matmul_coopmat` computes, and the part of it that a subgroup does. */
interface CoopmatTile {
  readonly rows: number;
  readonly tokens: number;
  readonly partRows: number;
  readonly partTokens: number;
  readonly columns: number;
  readonly buffers: 1 | 2;
}

/** What one workgroup of `matmul_tile` computes, and the part of it that a lane does. */
interface LaneTile {
  readonly rows: number;
  readonly tokens: number;
  readonly laneRows: number;
  readonly laneTokens: number;
}

/** From large to small: large ones reuse more, small ones leave no part of the device idle and waste less on short prompts. */
const COOPMAT_TILES: readonly CoopmatTile[] = [
  { rows: 128, tokens: 128, partRows: 64, partTokens: 32, columns: 64, buffers: 1 },
  { rows: 64, tokens: 64, partRows: 32, partTokens: 32, columns: 64, buffers: 2 },
  { rows: 64, tokens: 32, partRows: 32, partTokens: 16, columns: 64, buffers: 2 },
  { rows: 64, tokens: 16, partRows: 32, partTokens: 16, columns: 64, buffers: 2 },
];
const LANE_TILES: readonly LaneTile[] = [
  { rows: 128, tokens: 64, laneRows: 8, laneTokens: 8 },
  { rows: 64, tokens: 32, laneRows: 8, laneTokens: 4 },
];
const TILE_COLUMNS = 32;
/** Bytes of a float16 element, of a float32 one, and of the padding of a row of float16 elements in shared memory. */
const HALF_BYTES = 2;
const FLOAT_BYTES = 4;
const PADDING_BYTES = 16;

/** The plan for `shape`: more rows of x than one pass over the weights serves. */
export function planTiles(kernels: KernelSet, shape: MatmulShape): MatmulPlan {
  if (kernels.coopmat && shape.device.format !== "f32") {
    const plan = planCoopmat(kernels, kernels.coopmat, shape);
    if (plan) return plan;
  }
  return planLaneTiles(kernels, shape);
}

function planCoopmat(kernels: KernelSet, fragment: CoopmatShape, shape: MatmulShape): MatmulPlan | undefined {
  const { subgroup, device: { info } } = kernels;
  const possible = COOPMAT_TILES.filter((tile) => {
    const lanes = subgroup * (tile.rows / tile.partRows) * (tile.tokens / tile.partTokens);
    const fragmentsFit = tile.partRows / shape.matrices % fragment.m === 0 &&
      tile.partTokens % fragment.n === 0 && tile.columns % fragment.k === 0;
    return fragmentsFit && fragment.m * fragment.n % subgroup === 0 &&
      lanes <= info.maxWorkgroupInvocations &&
      sharedBytes(tile, fragment) <= info.maxSharedBytes;
  });
  if (possible.length === 0) return undefined;
  const tile = chooseTile(kernels, possible, shape);
  return {
    kernel: "matmul_coopmat",
    constants: {
      WORKGROUP: subgroup * (tile.rows / tile.partRows) * (tile.tokens / tile.partTokens),
      M: fragment.m,
      N: fragment.n,
      K: fragment.k,
      TILE_ROWS: tile.rows,
      TOKENS: tile.tokens,
      TILE_COLUMNS: tile.columns,
      PART_ROWS: tile.partRows,
      PART_TOKENS: tile.partTokens,
      BUFFERS: tile.buffers,
      ALIGNED: inputsAreAligned(shape),
    },
    workgroups: grid(tile, shape),
  };
}

/** As the shared variables of matmul_coopmat.comp add up. */
function sharedBytes(
  { rows, tokens, columns, partRows, partTokens, buffers }: CoopmatTile,
  { m, n }: CoopmatShape,
) {
  const tiles = buffers * (rows + tokens) * (columns * HALF_BYTES + PADDING_BYTES);
  const subgroups = rows / partRows * (tokens / partTokens);
  const rest = (subgroups * m * n + tokens + 4) * FLOAT_BYTES;
  return tiles + rest;
}

function planLaneTiles(kernels: KernelSet, shape: MatmulShape): MatmulPlan {
  const tile = chooseTile(kernels, LANE_TILES, shape);
  const workgroup = tile.rows / tile.laneRows * (tile.tokens / tile.laneTokens);
  assert(workgroup <= kernels.device.info.maxWorkgroupInvocations, "Vulkan grants workgroups of 128 lanes");
  return {
    kernel: "matmul_tile",
    constants: {
      WORKGROUP: workgroup,
      TILE_ROWS: tile.rows,
      TOKENS: tile.tokens,
      TILE_COLUMNS,
      LANE_ROWS: tile.laneRows,
      LANE_TOKENS: tile.laneTokens,
      ALIGNED: inputsAreAligned(shape),
    },
    workgroups: grid(tile, shape),
  };
}

/** The first tile that is not mostly empty and of which there are enough, else the last that is not mostly empty. */
function chooseTile<T extends { rows: number; tokens: number }>(
  kernels: KernelSet,
  tiles: readonly T[],
  shape: MatmulShape,
): T {
  const full = tiles.filter((tile) => tile.tokens < 2 * shape.x.rows);
  const busy = full.find((tile) => {
    const [x, y] = grid(tile, shape);
    return x * y >= kernels.busyWorkgroups;
  });
  return busy ?? full.at(-1) ?? tiles[tiles.length - 1];
}

/** Tokens first, so that workgroups that run together read the same weights. */
function grid(
  { rows, tokens }: { rows: number; tokens: number },
  { weight, x, matrices }: MatmulShape,
): [number, number, number] {
  return [Math.ceil(x.rows / tokens), Math.ceil(weight.rows * matrices / rows), 1];
}

/** Whether all pieces of eight elements of x are whole and start at multiples of 16 bytes. */
function inputsAreAligned({ x: { span, stride }, weight: { columns } }: MatmulShape): boolean {
  return span.offset % 16 === 0 && stride % 4 === 0 && columns % 8 === 0;
}
