import { assertEquals } from "../support/assert.ts";
import { table } from "../../src/cli/table.ts";

Deno.test("table() pads by what a terminal shows, not by code units", async () => {
  assertEquals(await table(["A", "B"], [["日本", "1"], ["x", "22"]]), "A     B\n日本  1\nx     22\n");
});

Deno.test("table() leaves no space at the end of a line", async () => {
  assertEquals(await table(["NAME", ""], [["a", ""]]), "NAME\na\n");
});
