/**
 * Products by `matvec_dot`. With quantized weights x is rounded to 2^-16 of the largest of 32 neighbours, so an output may be off by that
 * share of the sum of |w| over those 32, times their largest |x|.
 */
import { KernelSet, type KernelSetOptions } from "../../src/kernels/kernel_set.ts";
import { DOT_FORMATS, dotSizes } from "../../src/kernels/dot_plan.ts";
import { matmul, type MatmulNode } from "../../src/kernels/matmul.ts";
import { type FormatName, FORMATS } from "../../src/quant/formats.ts";
import { assert, assertEquals } from "../support/assert.ts";
import { assertClose, type Lab, openBench } from "./harness.ts";
import { matmulNode, type ProductShape } from "./matmul_node.ts";

const bench = openBench();
const DOTS: KernelSetOptions = { strategy: "teams", dots: "all" };
/** With a few hundred x between -1 and 1, of which all 32 neighbours have a largest that is near 1. */
const TOLERANCE = 1e-4;

/** Rows that a team has at a time where there are enough, those of the formats in `dot_plan.ts`. */
const MOST_ROWS: Readonly<Partial<Record<FormatName, number>>> = {
  ...{ f32: 2, f16: 2, bf16: 2 },
  ...{ q8_0: 4, q4_k: 4, q5_k: 4, q6_k: 2 },
  ...{ q4_0: 8, q4_1: 8, q5_0: 8, q5_1: 8, mxfp4: 8 },
};

const SMALL: ProductShape = { format: "q4_1", rows: 40, columns: 96, tokens: 3 };

async function check(
  shape: ProductShape,
  more?: (lab: Lab) => Partial<MatmulNode>,
  options: KernelSetOptions = DOTS,
): Promise<void> {
  using lab = bench.lab(options);
  assertClose(await lab.run(matmul, matmulNode(lab, shape, more?.(lab))), TOLERANCE, JSON.stringify(shape));
}

for (const format of DOT_FORMATS) {
  const columns = 3 * Math.max(32, FORMATS[format].blockLength);
  Deno.test(`matmul by slices of ${format} weights with one token`, () =>
    check({ format, rows: 65, columns, tokens: 1 }));
  Deno.test(`matmul by slices of ${format} weights with four tokens`, () =>
    check({ format, rows: 33, columns, tokens: 4 }));
}

for (const rows of [1, 3, 63, 65, 257, 1500]) {
  Deno.test(`matmul by slices with ${rows} rows of weights`, () => check({ ...SMALL, rows, tokens: 1 }));
}

for (const format of DOT_FORMATS) {
  Deno.test(`matmul by slices of ${format} weights with so many rows that a team has its most at a time`, async () => {
    const columns = Math.max(96, FORMATS[format].blockLength);
    const shape = { format, rows: 2 ** 18 + 5, columns, tokens: 1 };
    const kernels = new KernelSet(bench.device, DOTS);
    assertEquals(
      dotSizes(kernels, { ...shape, matrices: 1, aligned: true })?.constants.ROWS,
      MOST_ROWS[format],
    );
    await check(shape);
  });
}

for (const tokens of [2, 3, 5, 8]) {
  Deno.test(`matmul by slices of ${tokens} tokens`, () => check({ ...SMALL, tokens }));
}

for (const columns of [32, 160, 1056, 4128, 30016]) {
  for (const tokens of [1, 2]) {
    Deno.test(`matmul by slices of ${tokens} tokens and rows of ${columns} weights`, () =>
      check({ ...SMALL, rows: 9, columns, tokens }));
  }
}

for (const tokens of [1, 3]) {
  Deno.test(`matmul by slices of ${tokens} tokens with a gate per row`, () =>
    check({ ...SMALL, tokens }, (lab) => ({
      inputs: [lab.value(tokens, SMALL.columns), lab.value(tokens, SMALL.rows), lab.value(tokens, 1)],
    })));
}

Deno.test("matmul by slices with a bias, an activation, a scale and a residual", () =>
  check(SMALL, (lab) => ({
    bias: lab.weight("f32", 1, SMALL.rows),
    activation: "gelu",
    scale: 0.75,
    inputs: [lab.value(SMALL.tokens, SMALL.columns), lab.value(SMALL.tokens, SMALL.rows)],
  })));

for (const columns of [96, 4128]) {
  for (const tokens of [1, 3]) {
    Deno.test(`matmul by slices of ${tokens} tokens with a norm of ${columns} elements before`, () =>
      check({ ...SMALL, columns, tokens }, (lab) => ({
        norm: { weight: lab.weight("f32", 1, columns), epsilon: 1e-5 },
      })));
  }
}

for (const tokens of [1, 8]) {
  Deno.test(`matmul by slices of ${tokens} tokens with a gate and a second matrix`, () => {
    const shape = { ...SMALL, tokens };
    return check(shape, (lab) => ({
      activation: "silu",
      bias: lab.weight("f32", 1, shape.rows),
      up: { weight: lab.weight("q4_1", shape.rows, shape.columns), bias: lab.weight("f32", 1, shape.rows) },
      norm: { weight: lab.weight("f32", 1, shape.columns), epsilon: 1e-5 },
      inputs: [lab.value(tokens, shape.columns), lab.value(tokens, shape.rows)],
    }));
  });
}

Deno.test("matmul by slices of columns of a wider value that start anywhere", () =>
  check(SMALL, (lab) => ({
    inputs: [lab.columns(lab.value(SMALL.tokens, 131), 17, SMALL.columns)],
    outputs: [lab.columns(lab.value(SMALL.tokens, 70), 3, SMALL.rows)],
  })));

Deno.test("matmul by slices keeps blocks of 1e-7 exact beside blocks of 1e7", async () => {
  using lab = bench.lab(DOTS);
  // The large blocks meet weights of 0, so that only the small ones count.
  const large = (i: number) => i % 64 < 32;
  const { actual, expected } = await lab.run(
    matmul,
    matmulNode(lab, { format: "q8_0", rows: 16, columns: 128, tokens: 1 }, {
      inputs: [lab.value(1, 128, (i) => lab.random() * (large(i) ? 1e7 : 1e-7))],
      weight: lab.weight(
        "q8_0",
        16,
        128,
        Array.from({ length: 2048 }, (_, i) => large(i) ? 0 : Math.sin(i)),
      ),
    }),
  );
  actual.forEach((value, i) => assert(Math.abs(value - expected[i]) < 1e-10, `${value} for ${expected[i]}`));
});

Deno.test("matmul by slices of whole numbers up to 32639 is exact", async () => {
  using lab = bench.lab(DOTS);
  const values = (i: number) => i % 32 === 0 ? 32639 : (i * 7919) % 65279 - 32639;
  const { actual, expected } = await lab.run(
    matmul,
    matmulNode(lab, { format: "q8_0", rows: 3, columns: 32, tokens: 1 }, {
      inputs: [lab.value(1, 32, values)],
      // A scale of 1, since the largest weight is 127.
      weight: lab.weight(
        "q8_0",
        3,
        32,
        Array.from({ length: 96 }, (_, i) => i % 32 === 5 ? 127 : i % 251 - 125),
      ),
    }),
  );
  assertEquals([...actual], [...expected]);
});

for (const value of [NaN, Infinity, -Infinity]) {
  Deno.test(`matmul by slices does not hide ${value} in x`, async () => {
    using lab = bench.lab(DOTS);
    const operands = matmulNode(lab, { ...SMALL, tokens: 1 }, {
      inputs: [lab.value(1, 96, (i) => i === 40 ? value : lab.random())],
    });
    const { actual } = await lab.run(matmul, operands);
    assert(actual.every((y) => !Number.isFinite(y)), "an output is a number");
  });
}

Deno.test("matmul by slices of zeros is zero", async () => {
  using lab = bench.lab(DOTS);
  const { actual } = await lab.run(matmul, matmulNode(lab, SMALL, { inputs: [lab.value(3, 96, () => 0)] }));
  assert(actual.every((y) => y === 0));
});

Deno.test("matmul by slices gives the same bits in every run", async () => {
  using lab = bench.lab(DOTS);
  const operands = matmulNode(lab, { ...SMALL, columns: 4128 });
  const first = (await lab.run(matmul, operands)).actual;
  const second = (await lab.run(matmul, operands)).actual;
  assert(first.every((value, i) => value === second[i]), "two runs differ");
});
