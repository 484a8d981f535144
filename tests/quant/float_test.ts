import { bf16ToF32, F16_TO_F32, f32ToBf16, f32ToF16, readF16, writeF16 } from "../../src/quant/float.ts";
import { assert, assertEquals } from "../support/assert.ts";

Deno.test("F16_TO_F32 knows the landmarks of binary16", () => {
  const landmarks: [number, number][] = [
    [0x0000, 0],
    [0x8000, -0],
    [0x0001, 2 ** -24], // smallest subnormal
    [0x03ff, 2 ** -14 - 2 ** -24], // largest subnormal
    [0x0400, 2 ** -14],
    [0x3c00, 1],
    [0x3555, 0.333251953125],
    [0xc000, -2],
    [0x7bff, 65504],
    [0x7c00, Infinity],
  ];
  for (const [bits, value] of landmarks) assertEquals(F16_TO_F32[bits], value);
  assert(Number.isNaN(F16_TO_F32[0x7e00]));
});

Deno.test("f32ToF16() rounds ties to even and overflows to infinity", () => {
  assertEquals(f32ToF16(1 + 2 ** -11), 0x3c00); // half way to the next, even below
  assertEquals(f32ToF16(1 + 3 * 2 ** -11), 0x3c02); // half way, even above
  assertEquals(f32ToF16(65519), 0x7bff);
  assertEquals(f32ToF16(65520), 0x7c00);
  assertEquals(f32ToF16(2 ** -25), 0x0000); // half of the smallest subnormal
});

Deno.test("f32ToF16() gives every binary16 back", () => {
  for (let bits = 0; bits < 65536; bits++) {
    if (!Number.isNaN(F16_TO_F32[bits])) assertEquals(f32ToF16(F16_TO_F32[bits]), bits);
  }
});

Deno.test("f32ToBf16() rounds ties to even and keeps NaN", () => {
  assertEquals(f32ToBf16(1), 0x3f80);
  assertEquals(f32ToBf16(1 + 2 ** -8), 0x3f80);
  assertEquals(f32ToBf16(1 + 3 * 2 ** -8), 0x3f82);
  assertEquals(f32ToBf16(-Infinity), 0xff80);
  assert(Number.isNaN(bf16ToF32(f32ToBf16(NaN))));
});

Deno.test("bf16ToF32() gives every bfloat16 back", () => {
  for (let bits = 0; bits < 65536; bits++) {
    const value = bf16ToF32(bits);
    if (!Number.isNaN(value)) assertEquals(f32ToBf16(value), bits);
  }
});

Deno.test("writeF16() stores little-endian and returns what was stored", () => {
  const bytes = new Uint8Array(4);
  assertEquals(writeF16(bytes, 1, 0.1), 0.0999755859375);
  assertEquals([...bytes], [0, 0x66, 0x2e, 0]);
  assertEquals(readF16(bytes, 1), 0.0999755859375);
});
