import { bucketOf } from "../../src/models/parts/relative_bias.ts";
import { assertEquals } from "../support/assert.ts";
import { testEncoderDecoder } from "../support/golden.ts";

testEncoderDecoder("t5 encodes a source text, then decodes with unscaled scores and relative biases", "t5");

// Values of transformers 5.24.0, T5Attention._relative_position_bucket, 32 buckets up to a distance of 128.
Deno.test("bucketOf() is exact for near keys and logarithmic for far ones, on both sides", () => {
  const distances = [
    0,
    -1,
    -7,
    -8,
    -11,
    -12,
    -15,
    -16,
    -22,
    -23,
    -45,
    -46,
    -90,
    -91,
    -128,
    -300,
    1,
    8,
    16,
    64,
    128,
  ];
  const buckets = [0, 1, 7, 8, 8, 9, 9, 10, 10, 11, 12, 13, 14, 15, 15, 15, 17, 24, 26, 30, 31];
  assertEquals(distances.map((distance) => bucketOf(distance, 32, true)), buckets);
});

Deno.test("bucketOf() gives all buckets to the past where nothing ahead is seen", () => {
  const distances = [5, 0, -15, -16, -18, -19, -31, -32, -99, -113, -128, -300];
  const buckets = [0, 0, 15, 16, 16, 17, 21, 21, 30, 31, 31, 31];
  assertEquals(distances.map((distance) => bucketOf(distance, 32, false)), buckets);
});
