import { statisticValue } from "../../src/vulkan/pipeline_statistics.ts";
import { assertEquals } from "../support/assert.ts";
import { scaleAdd, withDevice } from "./support.ts";

Deno.test("statisticValue() interprets the union by its format", () => {
  const [bool32, int64, uint64, float64] = [0, 1, 2, 3];
  assertEquals(statisticValue(1n, bool32), 1);
  assertEquals(statisticValue(2n ** 64n - 3n, int64), -3);
  assertEquals(statisticValue(2n ** 64n - 3n, uint64), Number.MAX_SAFE_INTEGER);
  assertEquals(statisticValue(0x3ff8000000000000n, float64), 1.5);
});

Deno.test("statistics() is empty unless the driver was asked to keep statistics", () =>
  withDevice((device) => {
    assertEquals(device.statistics(scaleAdd(device)), []);
  }));

Deno.test("statistics() names every figure where the driver reports them", () =>
  withDevice((device) => {
    const statistics = device.statistics(scaleAdd(device));
    assertEquals(statistics.length > 0, device.adapter.features.pipelineExecutableInfo);
    for (const { name, value } of statistics) {
      assertEquals([name.length > 0, Number.isFinite(value)], [true, true]);
    }
  }, { pipelineStatistics: true }));
