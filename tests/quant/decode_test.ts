import { decodeRow, decodeTensor, FORMATS } from "../../src/quant/formats.ts";
import { assertEquals } from "../support/assert.ts";
import { goldenTensors } from "./golden.ts";

for (const { format, bytes, elements, values } of goldenTensors()) {
  Deno.test(`decodeTensor() gives the values of libggml for ${format}, to the bit`, () => {
    assertEquals(decodeTensor(format, bytes, elements), values);
  });
}

Deno.test("decodeRow() gives the same values for a row alone as for a row inside its tensor", () => {
  for (const { format, bytes, values } of goldenTensors()) {
    const rowBytes = bytes.length / 8;
    assertEquals(
      decodeRow(format, bytes.subarray(3 * rowBytes), 512),
      values.slice(3 * 512, 4 * 512),
      format,
    );
  }
});

Deno.test("decode() writes behind outOffset and nowhere else", () => {
  for (const { format, bytes, blockLength, values } of goldenTensors()) {
    const out = new Float32Array(3 * blockLength).fill(7);
    FORMATS[format].decode(bytes, 1, out, blockLength);
    assertEquals(out.subarray(blockLength, 2 * blockLength), values.subarray(0, blockLength), format);
    assertEquals(out.subarray(0, blockLength), new Float32Array(blockLength).fill(7));
    assertEquals(out.subarray(2 * blockLength), new Float32Array(blockLength).fill(7));
  }
});

Deno.test("decode() of Q4_0 gives d (q - 8), low halves first", () => {
  const block = new Uint8Array(18);
  block.set([0x00, 0x38]); // float16 0.5
  block[2] = 0xf1; // weight 0 has q 1, weight 16 has q 15
  const values = decodeTensor("q4_0", block, 32);
  assertEquals([values[0], values[16], values[1], values[31]], [-3.5, 3.5, -4, -4]);
});

Deno.test("decode() of Q8_0 reads signed bytes", () => {
  const block = new Uint8Array(34);
  block.set([0x00, 0x40, 127, 128, 255]); // float16 2, then 127, -128, -1
  assertEquals([...decodeTensor("q8_0", block, 32).subarray(0, 4)], [254, -256, -2, 0]);
});

Deno.test("decode() of MXFP4 knows all sixteen codes, and scales from 2^-127 to 2^127", () => {
  const block = new Uint8Array(17);
  block[0] = 127;
  for (let code = 0; code < 16; code++) block[1 + code] = code;
  const expected = [0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6];
  assertEquals([...decodeTensor("mxfp4", block, 32).subarray(0, 16)], expected);
  block[0] = 0;
  assertEquals(decodeTensor("mxfp4", block, 32)[7], 6 * 2 ** -127);
  block[0] = 252;
  assertEquals(decodeTensor("mxfp4", block, 32)[7], 6 * 2 ** 125);
});

Deno.test("decode() of integer and double tensors rounds to float32", () => {
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  view.setBigInt64(0, -(2n ** 40n), true);
  view.setBigInt64(8, 3n, true);
  assertEquals([...decodeTensor("i64", bytes, 2)], [-(2 ** 40), 3]);
  view.setFloat64(0, 0.1, true);
  assertEquals([...decodeTensor("f64", bytes, 1)], [Math.fround(0.1)]);
  view.setInt32(0, -7, true);
  assertEquals([...decodeTensor("i32", bytes, 1)], [-7]);
  view.setInt16(0, -300, true);
  assertEquals([...decodeTensor("i16", bytes, 1)], [-300]);
  assertEquals([...decodeTensor("i8", Uint8Array.of(128, 1), 2)], [-128, 1]);
});

Deno.test("decodeTensor() accepts bytes at odd addresses", () => {
  for (const { format, bytes, elements, values } of goldenTensors()) {
    const shifted = new Uint8Array(bytes.length + 1);
    shifted.set(bytes, 1);
    assertEquals(decodeTensor(format, shifted.subarray(1), elements), values, format);
  }
});
