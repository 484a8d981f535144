/** Profiles add up what the layers have in common. */
import { operationTimes } from "../../../src/inference/bench/profile.ts";
import { assertEquals } from "../../support/assert.ts";

Deno.test("operationTimes() puts the layers together, averages the steps and sorts by time", () => {
  const step = (scale: number) => [
    { label: "embed.q8_0", ns: 500 * scale },
    { label: "blk.0.attn_q.weight", ns: 1000 * scale },
    { label: "blk.11.attn_q.weight", ns: 3000 * scale },
    { label: "attention", ns: 2000 * scale },
  ];
  assertEquals(operationTimes([step(1), step(3)]), [
    { operation: "attn_q.weight", dispatches: 2, us: 8 },
    { operation: "attention", dispatches: 1, us: 4 },
    { operation: "embed.q8_0", dispatches: 1, us: 1 },
  ]);
});
