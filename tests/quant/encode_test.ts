import { decodeTensor, encodeTensor, type FormatName, FORMATS } from "../../src/quant/formats.ts";
import { assert, assertEquals, assertFails } from "../support/assert.ts";
import { goldenInput, goldenTensors } from "./golden.ts";

/** Formats whose encoder is ggml's reference method, so that the bytes are the same. */
const SAME_BYTES: FormatName[] = ["f16", "bf16", "q4_0", "q4_1", "q5_0", "q5_1", "q8_0", "mxfp4"];

/** Formats whose encoder is simpler than ggml's search: the error may be larger by this factor. */
const SIMPLER: FormatName[] = ["q4_k", "q5_k", "q6_k"];
const SIMPLER_ERROR_MAX = 1.1;

function relativeError(values: Float32Array, original: Float32Array): number {
  let error = 0;
  let power = 0;
  for (let i = 0; i < values.length; i++) {
    error += (values[i] - original[i]) ** 2;
    power += original[i] ** 2;
  }
  return Math.sqrt(error / power);
}

for (const { format, bytes, relativeError: expected } of goldenTensors()) {
  if (SAME_BYTES.includes(format)) {
    Deno.test(`encodeTensor() gives the bytes of libggml for ${format}`, () => {
      assertEquals(encodeTensor(format, goldenInput()), bytes);
    });
  }
  if (SIMPLER.includes(format)) {
    Deno.test(`encodeTensor() comes near the error of libggml for ${format}`, () => {
      const input = goldenInput();
      const error = relativeError(decodeTensor(format, encodeTensor(format, input), input.length), input);
      assert(error < SIMPLER_ERROR_MAX * expected, `${error} against ${expected}`);
    });
  }
}

interface Bound {
  readonly format: FormatName;
  /** Weights that share a scale. */
  readonly length: number;
  /** Steps between 0 and the farthest value (`symmetric`), or between minimum and maximum. */
  readonly levels: number;
  readonly symmetric: boolean;
  /**
   * Largest error in steps: one half, more where the end of the range is cut off (`q4_0` and `q5_0` reach one step less
   * far on one side), and what rounding a scale to float16 or to 6 bits adds at the far end of the range.
   */
  readonly steps: number;
}

const BOUNDS: Bound[] = [
  { format: "q4_0", length: 32, levels: 8, symmetric: true, steps: 1.01 },
  { format: "q4_1", length: 32, levels: 15, symmetric: false, steps: 0.52 },
  { format: "q5_0", length: 32, levels: 16, symmetric: true, steps: 1.02 },
  { format: "q5_1", length: 32, levels: 31, symmetric: false, steps: 0.53 },
  { format: "q8_0", length: 32, levels: 127, symmetric: true, steps: 0.57 },
  { format: "q4_k", length: 32, levels: 15, symmetric: false, steps: 1.2 },
  { format: "q5_k", length: 32, levels: 31, symmetric: false, steps: 1.4 },
  { format: "q6_k", length: 16, levels: 32, symmetric: true, steps: 1.4 },
];

for (const { format, length, levels, symmetric, steps } of BOUNDS) {
  Deno.test(`encodeTensor() and back keeps each weight within the bound of ${format}`, () => {
    const values = new Float32Array(4096);
    // An irregular sequence whose amplitude varies by a quarter within a block.
    for (let i = 0; i < values.length; i++) values[i] = Math.sin(i * i * 0.37) * (3 + (i % 256) / 256);
    const decoded = decodeTensor(format, encodeTensor(format, values), values.length);
    for (let start = 0; start < values.length; start += length) {
      const block = values.subarray(start, start + length);
      const high = block.reduce((most, value) => Math.max(most, value), 0);
      const low = block.reduce((least, value) => Math.min(least, value), 0);
      const step = (symmetric ? Math.max(high, -low) : high - low) / levels;
      block.forEach((value, i) => {
        const error = Math.abs(decoded[start + i] - value);
        assert(
          error <= steps * step,
          `weight ${start + i}: ${value} became ${decoded[start + i]}, step ${step}`,
        );
      });
    }
  });
}

Deno.test("encodeTensor() of zeros decodes to zeros", () => {
  for (const format of Object.values(FORMATS)) {
    if (!format.encode) continue;
    const zeros = new Float32Array(format.blockLength);
    const decoded = decodeTensor(format.name, encodeTensor(format.name, zeros), zeros.length);
    assert(decoded.every((value) => value === 0), format.name);
  }
});

Deno.test("encodeTensor() of float32 is the identity", () => {
  const values = Float32Array.of(1, -0, 1e-40, 3e38);
  assertEquals(decodeTensor("f32", encodeTensor("f32", values), 4), values);
});

Deno.test("encodeTensor() refuses formats without an encoder and partial blocks", async () => {
  await assertFails(() => encodeTensor("iq2_xs", new Float32Array(256)), "iq2_xs has no encoder");
  await assertFails(
    () => encodeTensor("q8_0", new Float32Array(33)),
    "33 weights are not whole q8_0 blocks of 32",
  );
});
