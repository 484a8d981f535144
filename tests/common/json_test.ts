import { assertEquals } from "../support/assert.ts";
import { toJson } from "../../src/common/json.ts";

Deno.test("toJson() writes a bigint that a double cannot hold as a string", () => {
  assertEquals(toJson({ big: 9007199254740993n, small: 7n }), '{"big":"9007199254740993","small":7}');
});

Deno.test("toJson() never writes NaN or infinity", () => {
  assertEquals(toJson([NaN, Infinity, -1.5]), "[null,null,-1.5]");
});
