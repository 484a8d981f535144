import { assertEquals } from "../support/assert.ts";
import { nearest } from "../../src/cli/nearest.ts";

const WORDS = ["smollm2-135m-instruct", "gemma-3-270m", "/help", "/system"];

Deno.test("nearest() finds the word that was meant", () => {
  assertEquals(nearest("smolm2-135m-instuct", WORDS), "smollm2-135m-instruct");
  assertEquals(nearest("GEMMA-3-270M", WORDS), "gemma-3-270m");
  assertEquals(nearest("/hlp", WORDS), "/help");
});

Deno.test("nearest() offers nothing that is too far", () => {
  assertEquals(nearest("llama", WORDS), undefined);
  assertEquals(nearest("/foo", WORDS), undefined);
  assertEquals(nearest("x", []), undefined);
});
