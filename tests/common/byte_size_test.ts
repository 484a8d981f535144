import { formatBytes, parseBytes } from "../../src/common/byte_size.ts";
import { assertEquals, assertFails } from "../support/assert.ts";

Deno.test("parseBytes() reads digits with a binary unit, beyond 32 bits", () => {
  const cases: [string, number][] = [
    ["0", 0],
    ["4096", 4096],
    ["1MiB", 1048576],
    ["1m", 1048576],
    ["1.5 GB", 1610612736],
    ["6GiB", 6442450944],
    ["2t", 2199023255552],
  ];
  for (const [text, bytes] of cases) assertEquals(parseBytes(text, "X"), bytes);
});

Deno.test("parseBytes() refuses anything else, naming where it stood", async () => {
  for (const text of ["", "-1", "MiB", "1 XB", "1e3", "9".repeat(20), "NaN"]) {
    await assertFails(() => parseBytes(text, "ZINC_X"), `Cannot read ZINC_X: "${text}" is not a size`);
  }
});

Deno.test("formatBytes() uses the largest fitting unit", () => {
  assertEquals([0, 1023, 1024, 1572864, 21474836480].map(formatBytes), [
    "0 B",
    "1023 B",
    "1.0 KiB",
    "1.5 MiB",
    "20.00 GiB",
  ]);
});
