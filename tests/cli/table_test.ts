import { assertEquals } from "../support/assert.ts";
import { formatBytes, table } from "../../src/cli/table.ts";

Deno.test("table() pads by what a terminal shows, not by code units", () => {
  assertEquals(table(["A", "B"], [["日本", "1"], ["x", "22"]]), "A     B\n日本  1\nx     22\n");
});

Deno.test("table() leaves no space at the end of a line", () => {
  assertEquals(table(["NAME", ""], [["a", ""]]), "NAME\na\n");
});

Deno.test("formatBytes() uses decimal units", () => {
  assertEquals([0, 999, 1000, 98_362_432, 21_800_000_000].map(formatBytes), [
    "0 B",
    "999 B",
    "1.0 kB",
    "98.4 MB",
    "21.8 GB",
  ]);
});
