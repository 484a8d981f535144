/** Chooses whether and how one dispatch of `attention_decode` cuts its work: rows per workgroup, parts of the context, loads in flight. */
import { f32Bits } from "../vulkan/mod.ts";
import type { AttentionDecodeNode } from "./attention_decode.ts";
import { cacheRowBytes, cacheTypeNumber } from "./kv_cache.ts";
import type { GpuContext, StateSlot, Weight } from "./operation.ts";
import { powerOfTwoFrom, powerOfTwoUpTo } from "./teams.ts";

/** Constants and grid. */
export interface AttentionDecodePlan {
  readonly constants: Readonly<Record<string, number | boolean>>;
  readonly workgroups: readonly [rowBlocks: number, kvHeads: number, parts: number];
  /** Positions that the cache holds. */
  readonly cached: number;
}

/** Elements of a key or value that a lane loads at once: 16 bytes. */
const ELEMENTS_PER_LOAD = 8;
/** Lanes of a workgroup: as many as leave each 128 registers on a multiprocessor with 64 Ki of them. */
const WORKGROUP = 512;
/** Subgroups of a workgroup, whose sums have to be joined. */
const SUBGROUPS_MAX = 16;
/** Workgroups that keep the largest GPUs busy; each takes most of a multiprocessor. */
const WORKGROUPS = 128;
/** Loads of keys, and as many of values, that a lane has in flight where its registers also hold sums of several rows. */
const LOADS = 2;
/** The same with at most two rows. */
const LOADS_OF_FEW_ROWS = 8;
/** Rows, times loads per key, that a lane has registers for. */
const ROWS_MAX = 4;
/** Key elements of a context that is not cut, 256 positions of heads of 128: a multiprocessor reads these in the time that a join takes. */
const WHOLE_ELEMENTS_MAX = 256 * 128;
/** Parts that are joined. */
const PARTS_MAX = 32;
/** Shared memory of a workgroup, where the device has as much. */
const SHARED_BYTES_MAX = 40 * 1024;

/** What the cut depends on. */
export interface DecodeShape {
  readonly kvHeads: number;
  /** Query heads per key head. */
  readonly group: number;
  readonly headDim: number;
  /** Positions that are attended over, at most. */
  readonly span: number;
  /** Lanes of a subgroup and of the largest workgroup. */
  readonly subgroup: number;
  readonly workgroup: number;
  readonly sharedBytes: number;
}

/** How work is cut. */
export interface DecodeCut {
  readonly workgroup: number;
  /** Query heads of a workgroup, a power of two. */
  readonly rows: number;
  /** Lanes that share a position. */
  readonly lanes: number;
  /** Positions that each of these groups of lanes has in flight. */
  readonly slots: number;
  readonly rowBlocks: number;
  readonly parts: number;
}

/**
 * The cut of a shape. A short context stays whole, because parts have to be joined through memory: three round trips. Each
 * workgroup then takes as few heads as there are multiprocessors for; it reads all keys, but others' reads of the same keys come from
 * the cache. A long one is cut so that every subgroup has one block of positions, whose loads all go out at the start; workgroups take
 * all heads of a group, so that each key is read once.
 */
export function cutDecode(shape: DecodeShape): DecodeCut {
  const { kvHeads, group, headDim, span, subgroup } = shape;
  const loads = headDim / ELEMENTS_PER_LOAD;
  const lanes = Math.min(subgroup, powerOfTwoFrom(loads));
  const loadsPerLane = Math.ceil(loads / lanes);
  const largest = Math.min(shape.workgroup, WORKGROUP, SUBGROUPS_MAX * subgroup);
  const rowsMax = powerOfTwoUpTo(
    Math.max(1, Math.min(ROWS_MAX / loadsPerLane, lanes, largest / subgroup, powerOfTwoFrom(group))),
  );
  const cut = (rows: number, parts: number): DecodeCut => {
    const inFlight = rows > 2 ? LOADS : LOADS_OF_FEW_ROWS;
    const sharedPerSubgroup = rows * (headDim + 2) * 4;
    const room = Math.min(shape.sharedBytes, SHARED_BYTES_MAX) - (rows + 1) * headDim * 4;
    const subgroups = Math.min(largest / subgroup, powerOfTwoUpTo(Math.max(rows, room / sharedPerSubgroup)));
    return {
      workgroup: subgroups * subgroup,
      rows,
      lanes,
      slots: powerOfTwoUpTo(Math.max(1, inFlight / loadsPerLane)),
      rowBlocks: Math.ceil(group / rows),
      parts,
    };
  };
  if (span * headDim <= WHOLE_ELEMENTS_MAX) {
    let rows = 1;
    while (rows < rowsMax && kvHeads * Math.ceil(group / rows) > WORKGROUPS) rows *= 2;
    return cut(rows, 1);
  }
  const whole = cut(rowsMax, 1);
  const positionsAtOnce = whole.workgroup / lanes * whole.slots;
  const wanted = Math.min(Math.ceil(span / positionsAtOnce), WORKGROUPS / (kvHeads * whole.rowBlocks));
  return cut(rowsMax, Math.max(1, Math.min(PARTS_MAX, Math.floor(wanted))));
}

/** The plan for `node`; undefined where the kernel does not serve it, or is not meant for the device. */
export function planAttentionDecode(
  node: AttentionDecodeNode,
  gpu: GpuContext,
): AttentionDecodePlan | undefined {
  const { prepare: { rope, norm }, attention, gating } = node;
  const { kernels, contextBucket } = gpu;
  const { headDim, heads, kvHeads, window, chunk, keys, values } = attention;
  if (kernels.strategy === "lanes" || !isServed(node, gpu)) return undefined;
  // A window that nothing outgrows yet is none: where reading begins is then known before the position is.
  const seen = [window, chunk].map((size) => size < contextBucket ? size : 0);
  const group = heads / kvHeads;
  const cut = cutDecode({
    kvHeads,
    group,
    headDim,
    span: Math.min(contextBucket, ...seen.filter((size) => size > 0)),
    subgroup: kernels.subgroup,
    workgroup: kernels.workgroup(WORKGROUP),
    sharedBytes: kernels.device.info.maxSharedBytes,
  });
  const { temperature } = attention;
  return {
    constants: {
      WORKGROUP: cut.workgroup,
      HEAD_DIM: headDim,
      GROUP: group,
      ROWS: cut.rows,
      LANES: cut.lanes,
      SLOTS: cut.slots,
      KEY_WIDTH: keys.width,
      VALUE_WIDTH: values.width,
      KEY_TYPE: cacheTypeNumber(gpu.state(keys).type),
      VALUE_TYPE: cacheTypeNumber(gpu.state(values).type),
      QUERY_STRIDE: gating ? 2 * headDim : headDim,
      NORM: norm !== undefined,
      ADJACENT: rope.pairing === "adjacent",
      ROTARY_OFFSET: rope.rotaryOffset,
      ROTARY_DIM: rope.rotaryDim,
      GATED: gating !== undefined,
      WINDOW: seen[0],
      CHUNK: seen[1],
      SOFTCAP: f32Bits(attention.softcap),
      TEMPERATURE: temperature !== undefined,
      TEMPERATURE_SCALE: f32Bits(temperature?.scale ?? 0),
      TEMPERATURE_INTERVAL: f32Bits(temperature?.interval ?? 1),
      TEMPERATURE_OFFSET: f32Bits(temperature?.offset ?? 0),
    },
    workgroups: [cut.rowBlocks, kvHeads, cut.parts],
    cached: Math.min(contextBucket, ...[keys, values].map((slot) => rowsOf(slot, gpu))),
  };
}

/** Whether the kernel can read everything 16 bytes at a time. */
function isServed(node: AttentionDecodeNode, gpu: GpuContext): boolean {
  const { prepare: { rope, norm }, attention: { headDim, keys, values }, inputs } = node;
  const weights = [rope.frequencies, norm?.query, norm?.key].filter((weight): weight is Weight => !!weight);
  const spans = [
    ...inputs.map((value) => gpu.matrix(value).span),
    ...weights.map((weight) => gpu.weight(weight).span),
    ...[keys, values].map((slot) => gpu.state(slot).span),
  ];
  const loadsPerLane = headDim / ELEMENTS_PER_LOAD / gpu.kernels.subgroup;
  const numbers = [headDim, rope.rotaryOffset, rope.rotaryDim, keys.width, values.width];
  return loadsPerLane <= LOADS_OF_FEW_ROWS &&
    [keys, values].every((slot) => gpu.state(slot).type !== "f32") &&
    numbers.every((number) => number % ELEMENTS_PER_LOAD === 0) &&
    spans.every(({ offset }) => offset % 16 === 0);
}

function rowsOf(slot: StateSlot, gpu: GpuContext): number {
  const { span, type } = gpu.state(slot);
  return Math.floor(span.bytes / cacheRowBytes(type, slot.width));
}
