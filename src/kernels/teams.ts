/** Sizes of teams: the consecutive lanes of a workgroup that share one sum (see shaders/include/teams.glsl). */
import type { KernelSet } from "./kernel_set.ts";

/** Lanes of a workgroup and of each of its teams; the team divides the workgroup. */
export interface Teams {
  readonly workgroup: number;
  readonly team: number;
}

/** Elements of one sum that a lane should have before another lane is worth its share of the reduction. */
const ELEMENTS_PER_LANE = 4;

/** Teams for `sums` sums over `elements` elements each. */
export function teamFor(kernels: KernelSet, elements: number, sums: number): Teams {
  const most = kernels.strategy === "lanes" ? kernels.subgroup : kernels.workgroup(256);
  const team = Math.min(powerOfTwoUpTo(Math.max(1, elements / ELEMENTS_PER_LANE)), most);
  const useful = team * powerOfTwoFrom(sums);
  const workgroup = Math.min(Math.max(team, kernels.workgroup()), Math.max(useful, kernels.subgroup));
  return { workgroup, team };
}

/** Row elements that a lane of a recurrent kernel keeps in registers: what leaves room for the vectors it works with. */
const STATE_PER_LANE = 16;

/** Teams for a workgroup that carries `rows` rows of `elements` state elements each through a batch, all of them at once if it can. */
export function recurrentTeams(kernels: KernelSet, elements: number, rows: number): Teams {
  const fewest = powerOfTwoFrom(elements / STATE_PER_LANE);
  const most = kernels.workgroup(1024);
  const team = Math.min(fewest, most);
  return {
    team,
    workgroup: Math.max(team, Math.min(most, kernels.workgroup(team * powerOfTwoFrom(rows)))),
  };
}

/** The largest power of two that is not above `value`, which is at least 1. */
export function powerOfTwoUpTo(value: number): number {
  return 2 ** Math.floor(Math.log2(value));
}

/** The smallest power of two that is not below `value`, and at least 1. */
export function powerOfTwoFrom(value: number): number {
  return powerOfTwoUpTo(Math.max(1, 2 * Math.ceil(value) - 1));
}
