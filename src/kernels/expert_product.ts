/**
 * The dispatch behind products with stacks of matrices: both halves of routed experts and the per-head products of latent
 * attention are forms of the same kernels (shaders/include/expert_product.glsl).
 */
import { assert } from "../common/assert.ts";
import { FORMATS } from "../quant/formats.ts";
import { type Activation, activationIndex } from "./activations.ts";
import type { DeviceMatrix, GpuContext, Weight } from "./operation.ts";
import { dotSizes } from "./dot_plan.ts";
import type { ExpertGroups } from "./expert_groups.ts";
import type { KernelSet } from "./kernel_set.ts";
import { parameters, spansOf } from "./recording.ts";
import { powerOfTwoUpTo } from "./teams.ts";
import { f32Bits } from "../vulkan/mod.ts";

/** One product per slot of each row, or the sum over a row's slots. */
export interface ExpertProduct {
  readonly x: DeviceMatrix;
  readonly y: DeviceMatrix;
  /** Matrix of each slot, `[rows, slots]`; without it, slot s uses matrix s. */
  readonly ids?: DeviceMatrix;
  readonly slots: number;
  /** Factor on the x of each slot, `[rows, slots]`. */
  readonly factors?: DeviceMatrix;
  /** `[matrices, matrix rows, columns]` */
  readonly weight: Weight;
  /** Rows of a product: the first ones of its matrix, the last ones for the second. */
  readonly rows: number;
  /** The weight of a second product, which the first one gates: another of the same shape, or the same with the rows of both. */
  readonly second?: Weight;
  /** `[matrices, rows]` */
  readonly bias?: Weight;
  /** `[matrices, rows]`, of the second product. */
  readonly bias2?: Weight;
  readonly residual?: DeviceMatrix;
  /** The slots of all rows, sorted by `ids`: a workgroup then serves several of them with the weights it reads. */
  readonly groups?: ExpertGroups;
  /** Whether the slots of a row are summed; not with groups. */
  readonly sum?: boolean;
  /** Whether each slot has an x of its own, `columns + tail` elements long. */
  readonly slottedX?: boolean;
  /** Elements at the end of a slot's x that are copied behind its result. */
  readonly tail?: number;
  readonly activation?: Activation;
  readonly limit?: number;
  readonly upOffset?: number;
  readonly scale?: number;
  /** RMS norm over the whole x, applied first. `weight`: `[columns]`. */
  readonly norm?: { readonly weight: Weight; readonly epsilon: number };
}

/** The largest float32: no limit. */
const NO_LIMIT = 3.4028234663852886e38;
/** Floats of x in shared memory. */
const TILE_FLOATS = 4096;

/** Records a product. */
export function recordExpertProduct(gpu: GpuContext, product: ExpertProduct): void {
  const { x, y, ids, slots, factors, weight, rows, second, residual, sum = false, tail = 0 } = product;
  const device = gpu.weight(weight);
  const device2 = second && gpu.weight(second);
  assert(
    !second || device2!.format === device.format && device2!.blocks === device.blocks,
    `${weight.name}: unequal pair`,
  );
  assert(!sum || tail === 0, `${weight.name}: summed slots follow each other`);
  const plan = planOf(gpu, product);
  const { groups } = plan;
  assert(!groups || !sum, `${weight.name}: groups of slots have no sum`);
  const constants = {
    ...plan.constants,
    ACTIVATION: activationIndex(product.activation ?? "none"),
    PAIR: second !== undefined,
    SUM: sum,
    SLOTTED_X: product.slottedX ?? false,
    TAIL: tail,
    NORM: product.norm !== undefined,
    LIMIT: f32Bits(Math.min(product.limit ?? NO_LIMIT, NO_LIMIT)),
    UP_OFFSET: f32Bits(product.upOffset ?? 0),
  };
  gpu.recorder.dispatch(gpu.kernels.get(plan.kernel, { format: device.format, constants }), {
    workgroups: [plan.rowWorkgroups, groups?.count ?? x.rows * (sum ? 1 : slots), 1],
    push: {
      weight: device.span,
      weight2: device2?.span ?? 0,
      x: x.span,
      y: y.span,
      ids: groups?.span ?? ids?.span ?? 0,
      factors: factors?.span ?? 0,
      bias: parameters(gpu, product.bias),
      bias2: parameters(gpu, product.bias2),
      residual: residual?.span ?? 0,
      normWeight: parameters(gpu, product.norm?.weight),
      blocks: device.blocks,
      rows,
      columns: weight.columns,
      matrixRows: weight.rows,
      slots,
      xStride: x.stride,
      yStride: y.stride,
      idsStride: ids?.stride ?? 0,
      factorsStride: factors?.stride ?? 0,
      residualStride: residual?.stride ?? 0,
      scale: product.scale ?? 1,
      epsilon: product.norm?.epsilon ?? 0,
    },
    reads: [...(groups ? [groups.span] : []), ...spansOf(x, ids, factors, residual)],
    writes: spansOf(y),
    label: weight.name,
  });
}

/** A kernel with its constants, its workgroups over the rows of a product, and the groups of slots if it serves them. */
interface ExpertPlan {
  readonly kernel: "matvec_dot_experts" | "matvec_experts" | "matvec_experts_any";
  readonly constants: Readonly<Record<string, number | boolean>>;
  readonly rowWorkgroups: number;
  readonly groups?: ExpertGroups;
}

function planOf({ kernels }: GpuContext, product: ExpertProduct): ExpertPlan {
  return planDots(kernels, product) ??
    (product.weight.columns % FORMATS[product.weight.format].chunk === 0
      ? planTeams(kernels, product)
      : planAny(kernels, product));
}

function planDots(kernels: KernelSet, product: ExpertProduct): ExpertPlan | undefined {
  const { weight: { format, columns }, rows, second, slots, sum, groups, x, tail = 0, slottedX } = product;
  const sizes = dotSizes(kernels, {
    format,
    rows,
    columns,
    segments: sum ? slots : 1,
    matrices: second ? 2 : 1,
    tokens: groups?.size ?? 1,
    products: groups?.count ?? x.rows * (sum ? 1 : slots),
    aligned: x.span.offset % 16 === 0 && x.stride % 4 === 0 && (!slottedX || (columns + tail) % 4 === 0),
  });
  return sizes && {
    kernel: "matvec_dot_experts",
    constants: { ...sizes.constants, GROUPED: groups !== undefined },
    rowWorkgroups: sizes.rowWorkgroups,
    groups,
  };
}

/** Rows of odd length; slots are not grouped. */
function planAny(kernels: KernelSet, { weight, rows, slots, sum }: ExpertProduct): ExpertPlan {
  const workgroup = kernels.workgroup();
  const columns = weight.columns * (sum ? slots : 1);
  const team = Math.min(powerOfTwoUpTo(Math.max(1, columns / 4)), workgroup);
  return {
    kernel: "matvec_experts_any",
    constants: { WORKGROUP: workgroup, TEAM: team },
    rowWorkgroups: Math.ceil(rows / (workgroup / team)),
  };
}

/** A team of lanes per row, as in ordinary products with vectors. */
function planTeams(
  kernels: KernelSet,
  { weight, rows, second, slots, sum, groups }: ExpertProduct,
): ExpertPlan {
  const workgroup = kernels.workgroup();
  const { chunk } = FORMATS[weight.format];
  const columns = weight.columns * (sum ? slots : 1);
  const tokens = groups?.size ?? 1;
  const tile = TILE_FLOATS / tokens;
  const team = Math.min(powerOfTwoUpTo(Math.min(columns, tile) / chunk), kernels.subgroup);
  // One row is enough for lanes that have several chunks of it to read at a time.
  const rowsPerTeam = second || columns >= 2 * team * chunk ? 1 : 2;
  const constants = {
    WORKGROUP: workgroup,
    TEAM: team,
    ROWS: rowsPerTeam,
    TOKENS: tokens,
    TILE: tile,
    GROUPED: groups !== undefined,
  };
  const rowWorkgroups = Math.ceil(rows / (workgroup / team * rowsPerTeam));
  return { kernel: "matvec_experts", constants, rowWorkgroups, groups };
}
