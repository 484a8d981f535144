import type { KernelSetOptions } from "../../src/kernels/kernel_set.ts";
import { matmul, type MatmulNode } from "../../src/kernels/matmul.ts";
import { FORMATS } from "../../src/quant/formats.ts";
import { assert, assertEquals } from "../support/assert.ts";
import { assertClose, type Lab, openBench } from "./harness.ts";
import { matmulNode, type ProductShape } from "./matmul_node.ts";

const bench = openBench();
const DEVICE_FORMATS = Object.values(FORMATS).filter((format) => format.device).map((format) => format.name);
const STRATEGIES = ["teams", "lanes"] as const;
/** Float32 sums of a few hundred products in different orders. */
const TOLERANCE = 2e-6;

const SMALL: ProductShape = { format: "q8_0", rows: 40, columns: 96, tokens: 3 };

async function check(
  shape: ProductShape,
  options: KernelSetOptions,
  more?: (lab: Lab) => Partial<MatmulNode>,
): Promise<void> {
  using lab = bench.lab(options);
  const results = await lab.run(matmul, matmulNode(lab, shape, more?.(lab)));
  assertClose(results, TOLERANCE, JSON.stringify({ ...shape, ...options }));
}

for (const strategy of STRATEGIES) {
  for (const format of DEVICE_FORMATS) {
    const columns = FORMATS[format].blockLength < 32 ? 96 : 3 * FORMATS[format].blockLength;
    Deno.test(`matmul of one token by ${format} weights, by ${strategy}`, () =>
      check({ format, rows: 65, columns, tokens: 1 }, { strategy }));
  }

  for (const rows of [1, 3, 63, 65, 257]) {
    Deno.test(`matmul with ${rows} rows of weights, by ${strategy}`, () =>
      check({ ...SMALL, rows }, { strategy }));
  }

  for (const tokens of [1, 2, 3, 5, 8, 9, 63, 65]) {
    Deno.test(`matmul of ${tokens} tokens, by ${strategy}`, () => check({ ...SMALL, tokens }, { strategy }));
  }

  for (const columns of [32, 160, 4128, 9056]) {
    Deno.test(`matmul with rows of ${columns} weights, by ${strategy}`, () =>
      check({ ...SMALL, rows: 9, columns }, { strategy }));
  }

  for (const format of ["f32", "f16", "bf16"] as const) {
    for (const columns of [1, 3, 63, 65, 257]) {
      Deno.test(`matmul with rows of ${columns} ${format} weights, no multiple of 16 bytes, by ${strategy}`, () =>
        check({ format, rows: 9, columns, tokens: 9 }, { strategy }));
    }
  }

  Deno.test(`matmul with a bias, an activation, a scale and a residual, by ${strategy}`, () =>
    check(SMALL, { strategy }, (lab) => ({
      bias: lab.weight("f32", 1, SMALL.rows),
      activation: "gelu",
      scale: 0.75,
      inputs: [lab.value(SMALL.tokens, SMALL.columns), lab.value(SMALL.tokens, SMALL.rows)],
    })));

  for (const tokens of [1, 3, 40]) {
    Deno.test(`matmul of ${tokens} tokens with a gate per row, by ${strategy}`, () =>
      check({ ...SMALL, tokens }, { strategy }, (lab) => ({
        scale: 0.75,
        inputs: [lab.value(tokens, SMALL.columns), lab.value(tokens, SMALL.rows), lab.value(tokens, 1)],
      })));
  }

  for (const columns of [96, 4128]) {
    Deno.test(`matmul with a norm of ${columns} elements before, by ${strategy}`, () =>
      check({ ...SMALL, columns }, { strategy }, (lab) => ({
        norm: { weight: lab.weight("f32", 1, columns), epsilon: 1e-5 },
      })));
  }

  for (const format of ["q4_1", "f32"] as const) {
    const shape: ProductShape = { ...SMALL, format };
    Deno.test(`matmul with a gate and a second ${format} matrix, by ${strategy}`, () =>
      check(shape, { strategy }, (lab) => ({
        activation: "silu",
        bias: lab.weight("f32", 1, shape.rows),
        up: { weight: lab.weight(format, shape.rows, shape.columns), bias: lab.weight("f32", 1, shape.rows) },
        norm: { weight: lab.weight("f32", 1, shape.columns), epsilon: 1e-5 },
        inputs: [lab.value(shape.tokens, shape.columns), lab.value(shape.tokens, shape.rows)],
      })));
  }

  Deno.test(`matmul with norm, gate and residual for rows of 65 weights, by ${strategy}`, () =>
    check({ format: "f16", rows: 11, columns: 65, tokens: 2 }, { strategy }, (lab) => ({
      activation: "silu",
      up: { weight: lab.weight("f16", 11, 65) },
      norm: { weight: lab.weight("f32", 1, 65), epsilon: 1e-5 },
      inputs: [lab.value(2, 65), lab.value(2, 11)],
    })));

  Deno.test(`matmul of columns of a wider value that start anywhere, by ${strategy}`, () =>
    check(SMALL, { strategy }, (lab) => ({
      inputs: [lab.columns(lab.value(SMALL.tokens, 131), 17, SMALL.columns)],
      outputs: [lab.columns(lab.value(SMALL.tokens, 70), 3, SMALL.rows)],
    })));

  Deno.test(`matmul of 4096 products of 16 and 16 is 1048576, beyond float16, by ${strategy}`, async () => {
    using lab = bench.lab({ strategy });
    const operands = matmulNode(lab, { format: "f16", rows: 2, columns: 4096, tokens: 1 }, {
      inputs: [lab.value(1, 4096, () => 16)],
      weight: lab.weight("f16", 2, 4096, new Array(8192).fill(16)),
    });
    const { actual } = await lab.run(matmul, operands);
    assertEquals([...actual], [1048576, 1048576]);
  });
}

const PROMPT: ProductShape = { ...SMALL, rows: 200, tokens: 40 };
const TILES = { strategy: "teams", coopmat: false } as const;

for (const format of DEVICE_FORMATS) {
  const columns = FORMATS[format].blockLength < 32 ? 104 : 2 * FORMATS[format].blockLength;
  Deno.test(`matmul of a prompt by ${format} weights`, () =>
    check({ format, columns, rows: 70, tokens: 9 }, TILES));
}

for (const tokens of [9, 31, 33, 63, 65, 129, 257]) {
  Deno.test(`matmul of a prompt of ${tokens} tokens`, () => check({ ...PROMPT, tokens }, TILES));
}

for (const rows of [1, 3, 65, 127, 129, 1000]) {
  Deno.test(`matmul of a prompt with ${rows} rows of weights`, () => check({ ...PROMPT, rows }, TILES));
}

Deno.test("matmul of a prompt with bias, activation, scale and residual", () =>
  check(PROMPT, TILES, (lab) => ({
    bias: lab.weight("f32", 1, PROMPT.rows),
    activation: "gelu",
    scale: 0.75,
    inputs: [lab.value(PROMPT.tokens, PROMPT.columns), lab.value(PROMPT.tokens, PROMPT.rows)],
  })));

Deno.test("matmul of a prompt with a gate and a second matrix", () =>
  check(PROMPT, TILES, (lab) => ({
    activation: "silu",
    up: { weight: lab.weight("q8_0", PROMPT.rows, PROMPT.columns), bias: lab.weight("f32", 1, PROMPT.rows) },
  })));

Deno.test("matmul of a prompt with inputs of 1e7 and 1e-7 beside each other", () =>
  check(PROMPT, TILES, (lab) => ({
    inputs: [
      lab.value(PROMPT.tokens, PROMPT.columns, (i) => lab.random() * (i % 192 < 96 ? 1e7 : 1e-7)),
    ],
  })));

for (const workgroup of [8, 64, 256]) {
  Deno.test(`matmul in workgroups of ${workgroup} lanes`, () =>
    check(SMALL, { strategy: "teams", workgroup }));
}

Deno.test("matmul of a token does not depend on the tokens beside it beyond rounding", async () => {
  for (const strategy of STRATEGIES) {
    using lab = bench.lab({ strategy });
    const batch = matmulNode(lab, { ...SMALL, tokens: 20 });
    const together = (await lab.run(matmul, batch)).actual;
    for (const token of [0, 7, 19]) {
      const x = { ...batch.inputs[0], rows: 1, offset: token * SMALL.columns };
      const alone =
        (await lab.run(matmul, { ...batch, inputs: [x], outputs: [lab.value(1, SMALL.rows)] })).actual;
      const rows = together.subarray(token * SMALL.rows, (token + 1) * SMALL.rows);
      assertClose({ actual: alone, expected: rows }, TOLERANCE);
    }
  }
});

Deno.test("matmul gives the same bits in every run", async () => {
  for (const strategy of STRATEGIES) {
    using lab = bench.lab({ strategy });
    const operands = matmulNode(lab, { ...SMALL, columns: 4128 });
    const first = (await lab.run(matmul, operands)).actual;
    const second = (await lab.run(matmul, operands)).actual;
    assert(first.every((value, i) => value === second[i]), "two runs differ");
  }
});
