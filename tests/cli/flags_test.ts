import { assertEquals, assertFails } from "../support/assert.ts";
import { repeated, tokenList, wholeNumber } from "../../src/cli/flags.ts";

Deno.test("wholeNumber() takes whole numbers in its range alone", async () => {
  assertEquals([wholeNumber()("0"), wholeNumber(1)("+7"), wholeNumber(-5)("-5")], [0, 7, -5]);
  for (const text of ["", " ", "1.5", "1e3", "0x10", "x", "NaN", "Infinity", "-1", "9007199254740993"]) {
    await assertFails(() => wholeNumber()(text), "Expected a whole number from 0 on");
  }
  await assertFails(() => wholeNumber(1, 8)("9"), "Expected a whole number from 1 to 8");
});

Deno.test("tokenList() takes ids separated by commas or spaces", async () => {
  assertEquals(tokenList("1,2, 3 4"), [1, 2, 3, 4]);
  await assertFails(() => tokenList(""), "Expected token ids such as 1,2,3");
  for (const text of ["1,-2", "1,2.5", "1;2", "1,99999999999"]) {
    await assertFails(() => tokenList(text), 'Expected token ids such as 1,2,3, found "');
  }
});

Deno.test("repeated() collects every value", () => {
  assertEquals(repeated("b", repeated("a")), ["a", "b"]);
});
