/** Tests have llama-bench's names and come in its order. */
import { positionsOf, testName, testsOf } from "../../../src/inference/bench/test_list.ts";
import { assertEquals } from "../../support/assert.ts";

Deno.test("testsOf() lists the tests in llama-bench's order, under its names", () => {
  // llama-bench -p 8,16 -n 8 -d 0,32 printed these, from top to bottom.
  const printed = ["pp8", "pp16", "tg8", "pp8 @ d32", "pp16 @ d32", "tg8 @ d32"];
  const tests = testsOf({ prompts: [8, 16], generations: [8], depths: [0, 32] });
  assertEquals(tests.map(testName), printed);
});

Deno.test("testsOf() takes 0 for none", () => {
  const tests = testsOf({ prompts: [0], generations: [0, 4], depths: [0] });
  assertEquals(tests, [{ prompt: 0, generate: 4, depth: 0 }]);
});

Deno.test("positionsOf() counts the tokens before the test too", () => {
  assertEquals(positionsOf({ prompt: 0, generate: 128, depth: 4096 }), 4224);
});
