import { gumbelNoise, philox4x32 } from "../../../src/inference/sampling/random.ts";
import { assertEquals, assertNear } from "../../support/assert.ts";

/** Known answers of Random123, the authors' library: counter, key, result (philox4x32, 10 rounds). */
const KNOWN_ANSWERS = [
  "00000000 00000000 00000000 00000000 00000000 00000000 6627e8d5 e169c58d bc57ac4c 9b00dbd8",
  "ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff 408f276d 41c83b0e a20bc7c6 6d5451fd",
  "243f6a88 85a308d3 13198a2e 03707344 a4093822 299f31d0 d16cfe09 94fdcceb 5001e420 24126ea1",
];

Deno.test("philox4x32() gives the authors' known answers", () => {
  for (const line of KNOWN_ANSWERS) {
    const [c0, c1, c2, c3, k0, k1, ...expected] = line.split(" ").map((word) => parseInt(word, 16));
    assertEquals(philox4x32([c0, c1, c2, c3], [k0, k1]), expected as [number, number, number, number]);
  }
});

Deno.test("gumbelNoise() has the mean and variance of the standard Gumbel distribution", () => {
  const count = 100_000;
  let sum = 0;
  let squares = 0;
  for (let i = 0; i < count; i++) {
    const noise = gumbelNoise(7, i >> 8, i & 255);
    sum += noise;
    squares += noise * noise;
  }
  const mean = sum / count;
  // Euler's constant and pi^2 / 6; four standard errors of 100,000 draws.
  assertNear(mean, 0.5772156649, 0.017);
  assertNear(squares / count - mean * mean, Math.PI ** 2 / 6, 0.05);
});

Deno.test("gumbelNoise() changes with seed, step and token, and uses seeds above 32 bits", () => {
  const values = [
    gumbelNoise(1, 0, 0),
    gumbelNoise(2, 0, 0),
    gumbelNoise(1, 1, 0),
    gumbelNoise(1, 0, 1),
    gumbelNoise(1 + 2 ** 32, 0, 0),
  ];
  assertEquals(new Set(values).size, values.length);
  assertEquals(gumbelNoise(1, 0, 0), values[0]);
});
