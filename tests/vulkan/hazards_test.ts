import { type ByteRange, HazardTracker } from "../../src/vulkan/hazards.ts";
import { assert } from "../support/assert.ts";

const range = (memory: string, start: number, end: number): ByteRange => ({ memory, start, end });

/** A tracker after one command that reads a[0, 64) and writes b[0, 64). */
function afterOne(): HazardTracker {
  const tracker = new HazardTracker();
  tracker.add([range("a", 0, 64)], [range("b", 0, 64)]);
  return tracker;
}

Deno.test("HazardTracker sees a read of what was written", () => {
  assert(afterOne().conflicts([range("b", 63, 70)], []));
});

Deno.test("HazardTracker sees a write over what was written", () => {
  assert(afterOne().conflicts([], [range("b", 0, 4)]));
});

Deno.test("HazardTracker sees a write over what was read", () => {
  assert(afterOne().conflicts([], [range("a", 32, 33)]));
});

Deno.test("HazardTracker lets two reads of the same bytes overlap", () => {
  assert(!afterOne().conflicts([range("a", 0, 64)], []));
});

Deno.test("HazardTracker tells neighbouring ranges and other memory apart", () => {
  assert(!afterOne().conflicts([range("b", 64, 128)], [range("a", 64, 128)]));
  assert(!afterOne().conflicts([range("c", 0, 64)], [range("d", 0, 64)]));
});

Deno.test("HazardTracker ignores empty ranges", () => {
  assert(!afterOne().conflicts([range("b", 32, 32)], []));
});

Deno.test("HazardTracker remembers every command since the last barrier, and none from before it", () => {
  const tracker = afterOne();
  tracker.add([range("c", 0, 8)], [range("d", 0, 8)]);
  assert(tracker.conflicts([range("b", 0, 1)], []));
  assert(tracker.conflicts([range("d", 0, 1)], []));
  tracker.clear();
  assert(!tracker.conflicts([range("b", 0, 64), range("d", 0, 8)], [range("a", 0, 64)]));
});
