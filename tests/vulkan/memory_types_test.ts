import { type MemoryTable, pickMemoryTypes, totalBudget } from "../../src/vulkan/memory_types.ts";
import { assertEquals } from "../support/assert.ts";

const MiB = 2 ** 20;
const GiB = 2 ** 30;
/** VkMemoryPropertyFlags: device local, host visible, host coherent, host cached, AMD device coherent. */
const [L, V, C, H, AMD] = [1, 2, 4, 8, 0x40];

/** A card whose memory the host sees through a window of 256 MiB (RADV without resizable BAR). */
const SMALL_BAR: MemoryTable = {
  heaps: [
    { bytes: 16 * GiB - 256 * MiB, deviceLocal: true },
    { bytes: 32 * GiB, deviceLocal: false },
    { bytes: 256 * MiB, deviceLocal: true },
  ],
  types: [
    { flags: L, heap: 0 },
    { flags: L, heap: 0 },
    { flags: V | C, heap: 1 },
    { flags: L | V | C, heap: 2 },
    { flags: V | C | H, heap: 1 },
    { flags: L | AMD, heap: 0 },
    { flags: V | C | AMD, heap: 1 },
  ],
};

/** A card that is visible as a whole (resizable BAR). */
const FULL_BAR: MemoryTable = {
  heaps: [{ bytes: 32 * GiB, deviceLocal: false }, { bytes: 16 * GiB, deviceLocal: true }],
  types: [
    { flags: V | C, heap: 0 },
    { flags: L | V | C, heap: 1 },
    { flags: V | C | H, heap: 0 },
    { flags: L, heap: 1 },
  ],
};

/** An integrated device whose memory is cut in two: 32 GiB set aside by the firmware, 64 GiB shared. */
const SPLIT_UMA: MemoryTable = {
  heaps: [{ bytes: 64 * GiB, deviceLocal: false }, { bytes: 32 * GiB, deviceLocal: true }],
  types: [
    { flags: L, heap: 1 },
    { flags: V | C, heap: 0 },
    { flags: L | V | C, heap: 1 },
    { flags: V | C | H, heap: 0 },
  ],
};

/** One heap, one type, everything at once. */
const LLVMPIPE: MemoryTable = {
  heaps: [{ bytes: 2 * GiB, deviceLocal: true }],
  types: [{ flags: L | V | C | H, heap: 0 }],
};

Deno.test("pickMemoryTypes() puts weights of a card into its own memory and never into the window", () => {
  assertEquals(pickMemoryTypes(SMALL_BAR, "discrete"), {
    device: [0, 1],
    staging: [2, 4, 3],
    readback: [4, 2, 3],
  });
});

Deno.test("pickMemoryTypes() prefers memory that the host does not see, also where it sees all of it", () => {
  assertEquals(pickMemoryTypes(FULL_BAR, "discrete"), {
    device: [3, 1],
    staging: [0, 2, 1],
    readback: [2, 0, 1],
  });
});

Deno.test("pickMemoryTypes() maps device memory on integrated devices, and goes on to shared memory when it is full", () => {
  assertEquals(pickMemoryTypes(SPLIT_UMA, "integrated"), {
    device: [2, 0, 1, 3],
    staging: [1, 3, 2],
    readback: [3, 1, 2],
  });
});

Deno.test("pickMemoryTypes() finds the one type of a software device for everything", () => {
  assertEquals(pickMemoryTypes(LLVMPIPE, "cpu"), { device: [0], staging: [0], readback: [0] });
});

Deno.test("pickMemoryTypes() keeps to the types that buffers may use", () => {
  assertEquals(pickMemoryTypes(SMALL_BAR, "discrete", 0b0010110), {
    device: [1],
    staging: [2, 4],
    readback: [4, 2],
  });
});

Deno.test("totalBudget() counts a card's own memory without the window and the host's", () => {
  const size = 16 * GiB - 256 * MiB;
  assertEquals(totalBudget({ table: SMALL_BAR, deviceType: "discrete" }), { total: size, free: size });
});

Deno.test("totalBudget() counts both heaps of an integrated device", () => {
  assertEquals(totalBudget({ table: SPLIT_UMA, deviceType: "integrated" }), {
    total: 96 * GiB,
    free: 96 * GiB,
  });
});

Deno.test("totalBudget() of an integrated device without memory of its own is the shared memory", () => {
  const table = {
    ...SPLIT_UMA,
    heaps: [{ bytes: 64 * GiB, deviceLocal: false }, { bytes: 0, deviceLocal: true }],
  };
  assertEquals(totalBudget({ table, deviceType: "integrated" }), { total: 64 * GiB, free: 64 * GiB });
});

Deno.test("totalBudget() subtracts what the driver reports as used", () => {
  const reported = { budget: [30 * GiB, 15 * GiB], usage: [1 * GiB, 4 * GiB] };
  assertEquals(totalBudget({ table: FULL_BAR, deviceType: "discrete", reported }), {
    total: 16 * GiB,
    free: 11 * GiB,
  });
});

Deno.test("totalBudget() is 0, not negative or huge, when more is used than the budget", () => {
  const reported = { budget: [30 * GiB, 15 * GiB], usage: [1 * GiB, 17 * GiB] };
  assertEquals(totalBudget({ table: FULL_BAR, deviceType: "discrete", reported }), {
    total: 16 * GiB,
    free: 0,
  });
});

Deno.test("totalBudget() does not believe a budget above the heap, nor one of 0", () => {
  const more = { budget: [0, 2 ** 50], usage: [0, GiB] };
  assertEquals(totalBudget({ table: FULL_BAR, deviceType: "discrete", reported: more }).free, 15 * GiB);
  const zero = { budget: [0, 0], usage: [0, GiB] };
  assertEquals(totalBudget({ table: FULL_BAR, deviceType: "discrete", reported: zero }).free, 15 * GiB);
});

Deno.test("totalBudget() counts zinc's own allocations where the driver reports nothing", () => {
  assertEquals(totalBudget({ table: FULL_BAR, deviceType: "discrete", used: [0, 5 * GiB] }).free, 11 * GiB);
});

Deno.test("totalBudget() takes the machine's memory for a software device", () => {
  const system = { total: 24 * GiB, available: 20 * GiB };
  assertEquals(totalBudget({ table: LLVMPIPE, deviceType: "cpu", system }), {
    total: 24 * GiB,
    free: 20 * GiB,
  });
});

Deno.test("totalBudget() obeys a limit set by the user", () => {
  const inputs = { table: FULL_BAR, deviceType: "discrete", used: [0, GiB], limit: 4 * GiB } as const;
  assertEquals(totalBudget({ ...inputs, used: [...inputs.used] }), { total: 4 * GiB, free: 3 * GiB });
});
