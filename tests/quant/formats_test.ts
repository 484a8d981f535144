import { formatOfGgmlType, FORMATS, rowBytes, tensorBytes } from "../../src/quant/formats.ts";
import { assert, assertEquals, assertFails } from "../support/assert.ts";
import { goldenTensors } from "./golden.ts";

Deno.test("FORMATS has the ids and sizes of libggml", () => {
  for (const { format, ggmlType, blockLength, blockBytes } of goldenTensors()) {
    const known = FORMATS[format];
    assertEquals(
      [known.ggmlType, known.blockLength, known.blockBytes],
      [ggmlType, blockLength, blockBytes],
      format,
    );
  }
});

Deno.test("FORMATS has every format under its own name and id", () => {
  const formats = Object.entries(FORMATS);
  assertEquals(formats.map(([name]) => name), formats.map(([, format]) => format.name));
  assertEquals(new Set(formats.map(([, { ggmlType }]) => ggmlType)).size, formats.length);
  for (const [, format] of formats) assertEquals(formatOfGgmlType(format.ggmlType), format);
});

Deno.test("formatOfGgmlType() knows neither removed nor future nor intermediate types", () => {
  for (const id of [4, 5, 9, 15, 31, 36, 999, 0xffffffff]) assertEquals(formatOfGgmlType(id), undefined);
});

Deno.test("FORMATS covers each byte of a block by exactly one plane", () => {
  for (const { name, blockBytes, planes } of Object.values(FORMATS)) {
    const covered = new Uint8Array(blockBytes);
    for (const { offset, bytes } of planes) {
      for (let i = 0; i < bytes; i++) covered[offset + i]++;
    }
    assert(covered.every((times) => times === 1), `${name}: ${covered}`);
  }
});

Deno.test("FORMATS with an include name a chunk that divides the block, or of whole blocks", () => {
  for (const { name, chunk, blockLength, device } of Object.values(FORMATS)) {
    assertEquals(device, chunk > 0, name);
    if (device) assert(blockLength % chunk === 0 || chunk % blockLength === 0, name);
  }
});

Deno.test("rowBytes() and tensorBytes() count whole blocks", async () => {
  assertEquals(rowBytes("q4_k", 512), 288);
  assertEquals(rowBytes("f16", 7), 14);
  assertEquals(tensorBytes("q8_0", 5_000_000_000 - 5_000_000_000 % 32), 5_312_500_000);
  await assertFails(() => rowBytes("q4_k", 100), "100 weights are not whole q4_k blocks of 256");
  await assertFails(() => tensorBytes("f32", 2 ** 53), "is not a number of weights");
});
