/** Mean and spread, on the textbook's example. */
import { mean, sampleDeviation } from "../../../src/inference/bench/statistics.ts";
import { assertEquals, assertNear } from "../../support/assert.ts";

Deno.test("sampleDeviation() divides by n - 1", () => {
  // Squared distances from 5: 9 + 1 + 1 + 1 + 0 + 0 + 4 + 16 = 32, over 7.
  const samples = [2, 4, 4, 4, 5, 5, 7, 9];
  assertEquals(mean(samples), 5);
  assertNear(sampleDeviation(samples), 2.138089935, 1e-9);
});

Deno.test("sampleDeviation() of a single sample is 0, not infinite", () => {
  assertEquals(sampleDeviation([42]), 0);
});
