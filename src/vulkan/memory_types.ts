/**
 * Which kind of memory holds what, and how much of it there is: pure functions over the tables that a driver reports.
 *
 * A discrete card has fast memory of its own and reaches the host's over the bus; weights in host-visible memory there
 * can cost a factor of ten. Integrated and CPU devices share one memory, often cut into several heaps, where mapping
 * device memory saves a copy.
 */
import { MEMORY_PROPERTY, type PHYSICAL_DEVICE_TYPES } from "../../ffi/enums.ts";

/** Kind of a physical device. */
export type DeviceType = (typeof PHYSICAL_DEVICE_TYPES)[number];

/** Heaps and types of a device. */
export interface MemoryTable {
  /** The pools of memory. */
  heaps: { bytes: number; deviceLocal: boolean }[];
  /** Ways of using a heap: `VkMemoryPropertyFlags` and the heap's index. */
  types: { flags: number; heap: number }[];
}

/** Indexes into `MemoryTable.types`, best first; the allocator goes on to the next when one is full. */
export interface MemoryPicks {
  /** For weights and activations. */
  device: number[];
  /** Written by the host, read by the device. */
  staging: number[];
  /** Written by the device, read by the host. */
  readback: number[];
}

const { DEVICE_LOCAL, HOST_VISIBLE, HOST_COHERENT, HOST_CACHED } = MEMORY_PROPERTY;
const MAPPABLE = HOST_VISIBLE | HOST_COHERENT;
const KNOWN = DEVICE_LOCAL | HOST_VISIBLE | HOST_COHERENT | HOST_CACHED;

/** Whether host and device share the same memory chips. */
export function sharesHostMemory(deviceType: DeviceType): boolean {
  return deviceType === "integrated" || deviceType === "cpu";
}

/**
 * Picks memory types. `allowedBits` is the `memoryTypeBits` of the buffers to be placed. Types with special properties
 * (lazily allocated, protected, uncached) are never picked.
 */
export function pickMemoryTypes(
  table: MemoryTable,
  deviceType: DeviceType,
  allowedBits = 0xffffffff,
): MemoryPicks {
  const flags = (i: number) => table.types[i].flags;
  const heapBytes = (i: number) => table.heaps[table.types[i].heap].bytes;
  const usable = table.types.map((_, i) => i).filter((i) =>
    ((allowedBits >>> i) & 1) === 1 && (flags(i) & ~KNOWN) === 0
  );
  /** `score`: a list of preferences, the first being the strongest. */
  const best = (candidates: number[], score: (i: number) => boolean[]) =>
    candidates.map((i) => ({ i, value: score(i).reduce((sum, met) => sum * 2 + (met ? 1 : 0), 0) }))
      .sort((a, b) => b.value - a.value || a.i - b.i).map(({ i }) => i);
  const has = (i: number, wanted: number) => (flags(i) & wanted) === wanted;

  const mappable = usable.filter((i) => has(i, MAPPABLE));
  const local = usable.filter((i) => has(i, DEVICE_LOCAL));
  const largestLocal = Math.max(0, ...local.map(heapBytes));
  const device = sharesHostMemory(deviceType)
    ? best(usable.filter((i) => has(i, DEVICE_LOCAL) || has(i, MAPPABLE)), (
      i,
    ) => [has(i, DEVICE_LOCAL), has(i, MAPPABLE), !has(i, HOST_CACHED)])
    // A small host-visible window into the card's memory is for the driver's own use.
    : best(local.filter((i) => heapBytes(i) === largestLocal), (i) => [!has(i, HOST_VISIBLE)]);
  return {
    device,
    staging: best(mappable, (i) => [!has(i, DEVICE_LOCAL), !has(i, HOST_CACHED)]),
    readback: best(mappable, (i) => [has(i, HOST_CACHED), !has(i, DEVICE_LOCAL)]),
  };
}

/** What {@linkcode totalBudget} works from. All figures in bytes. */
export interface BudgetInputs {
  /** Heaps and types. */
  table: MemoryTable;
  /** Kind of the device. */
  deviceType: DeviceType;
  /** `heapBudget` and `heapUsage` of VK_EXT_memory_budget, where reported. */
  reported?: { budget: number[]; usage: number[] } | null;
  /** Bytes that zinc itself allocated from each heap. */
  used?: number[];
  /** The machine's memory, for devices that are the CPU: their heaps are made up. */
  system?: { total: number; available: number };
  /** A cap set by the user. */
  limit?: number;
}

/** How much memory a model may use. */
export interface MemoryBudget {
  /** Size of the memory. */
  total: number;
  /** What is still free of it. */
  free: number;
}

/** Adds up the heaps from which weights and activations may come. Never negative, never more than there is. */
export function totalBudget(inputs: BudgetInputs): MemoryBudget {
  const { table, deviceType, reported, used = [], system, limit = Infinity } = inputs;
  const heaps = new Set(pickMemoryTypes(table, deviceType).device.map((i) => table.types[i].heap));
  let total = 0;
  let free = 0;
  let ours = 0;
  for (const heap of heaps) {
    const size = table.heaps[heap].bytes;
    const cap = Math.min(size, reported?.budget[heap] || size);
    total += size;
    free += Math.max(0, cap - Math.max(reported?.usage[heap] ?? 0, used[heap] ?? 0));
    ours += used[heap] ?? 0;
  }
  if (deviceType === "cpu" && system) {
    total = system.total;
    free = system.available;
  }
  total = Math.min(total, limit);
  return { total, free: Math.max(0, Math.min(free, total, limit - ours)) };
}
