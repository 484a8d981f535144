/** Cuts attention of many tokens into the workgroups of `attention_coopmat.comp`, where the device and the shape allow it. */
import type { AttentionNode } from "./attention.ts";
import type { AttentionPlan } from "./attention_plan.ts";
import type { KernelSet } from "./kernel_set.ts";
import type { CacheTypes } from "./cache_types.ts";
import { cacheTypeNumber } from "./kv_cache.ts";

/** With fewer tokens a fragment would be mostly empty. */
const TOKENS_MIN = 9;
/** Positions whose keys and values are in shared memory at once. */
const POSITIONS = 32;
/** Scores that a lane packs at once into a 16-byte word. */
const SCORES_PER_WORD = 8;
/** Elements of the values that one workgroup adds up: with 16 rows per subgroup, 64 registers of each lane. */
const VALUE_PART_MAX = 128;
/** Elements of queries that fit into registers beside the sums, by lanes of a subgroup. RDNA 3, which has 64, holds queries twice. */
const HEAD_DIM_MAX: Readonly<Record<number, number>> = { 8: 256, 16: 256, 32: 256, 64: 128 };
/** Subgroups of a workgroup, from the number that shares keys and values best to the one that gives more workgroups. */
const SUBGROUPS = [4, 2];
const WORD_BYTES = 16;

/**
 * The plan for `tokens` rows of queries over a cache of these types; undefined where the kernel does not serve. It computes with
 * float16, so a cache of float32, which asks for more, is not for it.
 */
export function planAttentionCoopmat(
  kernels: KernelSet,
  node: AttentionNode,
  tokens: number,
  types: CacheTypes,
): AttentionPlan | undefined {
  const { coopmat: fragment, subgroup, strategy } = kernels;
  if (!fragment || strategy !== "teams" || tokens < TOKENS_MIN) return undefined;
  if (types.keys === "f32" || types.values === "f32") return undefined;
  const { headDim, valueDim, heads, kvHeads } = node;
  const valueParts = Math.ceil(valueDim / VALUE_PART_MAX);
  const valuePart = valueDim / valueParts;
  const lanes = subgroup / fragment.m;
  const fits = Number.isInteger(lanes) && POSITIONS / lanes % SCORES_PER_WORD === 0 &&
    fragment.n % lanes === 0 &&
    POSITIONS % fragment.n === 0 && POSITIONS % fragment.k === 0 &&
    headDim <= (HEAD_DIM_MAX[subgroup] ?? 0) && headDim % fragment.k === 0 && valuePart % fragment.n === 0 &&
    [headDim, valuePart, node.keys.width, node.values.width].every((width) => width % 8 === 0);
  if (!fits) return undefined;

  const blocks = (subgroups: number) => Math.ceil(tokens * (heads / kvHeads) / (subgroups * fragment.m));
  const possible = SUBGROUPS.filter((n) =>
    sharedBytes(n * fragment.m, headDim, valuePart) <= kernels.device.info.maxSharedBytes &&
    blocks(n) * kvHeads * valueParts >= kernels.busyWorkgroups / 2
  );
  if (possible.length === 0) return undefined;
  const subgroups = possible.find((n) => blocks(n) * kvHeads * valueParts >= kernels.busyWorkgroups) ??
    possible[possible.length - 1];
  return {
    kernel: "attention_coopmat",
    constants: {
      WORKGROUP: subgroups * subgroup,
      M: fragment.m,
      N: fragment.n,
      K: fragment.k,
      HEAD_DIM: headDim,
      VALUE_PART: valuePart,
      VALUE_DIM: valueDim,
      POSITIONS,
      CAUSAL: node.causal,
      ENCODER: node.encoder ?? false,
      SOFTCAP: node.softcap > 0,
      ALIBI: node.alibiSlopes !== undefined,
      BIAS: node.relativeBias !== undefined,
      TEMPERATURE: node.temperature !== undefined,
      KEY_WIDTH: node.keys.width,
      VALUE_WIDTH: node.values.width,
      KEY_TYPE: cacheTypeNumber(types.keys),
      VALUE_TYPE: cacheTypeNumber(types.values),
    },
    workgroups: [blocks(subgroups), kvHeads, valueParts],
    parts: 1,
  };
}

/** As the shared variables of attention_coopmat.comp add up. */
function sharedBytes(rows: number, headDim: number, valuePart: number): number {
  const padded = (elements: number, perWord: number) => elements / perWord + 1;
  const keysAndValues = POSITIONS * (padded(headDim, 8) + padded(valuePart, 8));
  const tile = Math.max(rows * padded(headDim, 8), keysAndValues);
  return WORD_BYTES * (tile + rows * (padded(POSITIONS, 4) + padded(POSITIONS, 8)));
}
