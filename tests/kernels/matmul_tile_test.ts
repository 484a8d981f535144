import { matmul, type MatmulNode } from "../../src/kernels/matmul.ts";
import type { KernelSetOptions } from "../../src/kernels/kernel_set.ts";
import { type FormatName, FORMATS } from "../../src/quant/formats.ts";
import { hasCoopmat } from "../support/device_features.ts";
import { assertClose, type Lab, openBench } from "./harness.ts";

const bench = openBench();
/** Numbers of workgroups that make a product choose its smallest and its largest tile. */
const TILES = { smallest: 1e9, largest: 1 };

/** The two kernels: float32 in ordinary registers, and float16 operands in matrix units, where the device has them. */
const KERNELS = [
  { name: "ordinary registers", coopmat: false, missing: false, tolerance: 2e-6 },
  { name: "matrix units", coopmat: true, missing: !hasCoopmat(), tolerance: 2e-3 },
] as const;

interface Shape {
  readonly format: FormatName;
  readonly rows: number;
  readonly columns: number;
  readonly tokens: number;
}

const SMALL: Shape = { format: "q4_0", rows: 70, columns: 96, tokens: 21 };

for (const kernel of KERNELS) {
  const test = (name: string, body: () => Promise<void>) =>
    Deno.test({
      name: `${name}, in ${kernel.name}${kernel.missing ? " (the device has none)" : ""}`,
      ignore: kernel.missing,
      fn: body,
    });
  const check = async (
    shape: Shape,
    more: (lab: Lab) => Partial<MatmulNode> = () => ({}),
    options: KernelSetOptions = {},
  ) => {
    using lab = bench.lab({ strategy: "teams", coopmat: kernel.coopmat, ...options });
    const node: MatmulNode = {
      op: "matmul",
      inputs: [lab.value(shape.tokens, shape.columns)],
      outputs: [lab.value(shape.tokens, shape.rows)],
      weight: lab.weight(shape.format, shape.rows, shape.columns),
      activation: "none",
      scale: 1,
      ...more(lab),
    };
    const { actual, expected } = await lab.run(matmul, node);
    for (let token = 0; token < shape.tokens; token++) { // each to its own scale
      const [start, end] = [token * shape.rows, (token + 1) * shape.rows];
      const unit = Math.min(
        1,
        expected.subarray(start, end).reduce((most, y) => Math.max(most, Math.abs(y)), 1e-37),
      );
      const inUnits = (y: Float32Array) =>
        y.subarray(start, end).map((value) => value / (unit < 1e-3 ? unit : 1));
      const results = { actual: inUnits(actual), expected: inUnits(expected) };
      assertClose(results, kernel.tolerance, `${JSON.stringify({ ...shape, ...options })} token ${token}`);
    }
  };

  for (const { name: format, blockLength, device } of Object.values(FORMATS)) {
    if (!device || !kernel.coopmat) continue; // those of the other kernel are in matmul_test.ts
    test(`a product of ${format} weights with many vectors is right`, () =>
      check({ format, rows: 65, columns: Math.max(3 * blockLength, 96), tokens: 9 }));
  }

  for (const [tile, busyWorkgroups] of Object.entries(TILES)) {
    for (const tokens of [9, 17, 33, 65, 129]) {
      test(`the ${tile} tile is right with ${tokens} tokens`, () =>
        check({ ...SMALL, rows: 130, tokens }, undefined, { busyWorkgroups }));
    }
    for (const columns of [32, 64, 160, 416]) {
      test(`the ${tile} tile is right with ${columns} columns`, () =>
        check({ ...SMALL, columns, tokens: 70 }, undefined, { busyWorkgroups }));
    }
    test(`the ${tile} tile is right for a pair of matrices with biases, activation, scale, residual and gates per row`, () =>
      check(
        { ...SMALL, rows: 97 },
        (lab) => ({
          inputs: [
            lab.value(SMALL.tokens, SMALL.columns),
            lab.value(SMALL.tokens, 97),
            lab.value(SMALL.tokens, 1),
          ],
          up: { weight: lab.weight(SMALL.format, 97, SMALL.columns), bias: lab.weight("f32", 1, 97) },
          bias: lab.weight("f32", 1, 97),
          activation: "silu",
          scale: 0.5,
        }),
        { busyWorkgroups },
      ));
  }

  for (const columns of [8, 40, 72]) {
    test(`columns of 16-byte words that end within a tile are right: ${columns}`, () =>
      check({ ...SMALL, format: "f16", columns }));
  }

  test("x may start anywhere and have any stride", () =>
    check(
      SMALL,
      (lab) => ({ inputs: [lab.columns(lab.value(SMALL.tokens, SMALL.columns + 9), 5, SMALL.columns)] }),
    ));

  test("4096 products of 16 and 16 add up to 1048576 exactly", () =>
    check({ ...SMALL, format: "f16", columns: 4096, tokens: 9 }, (lab) => ({
      inputs: [lab.value(9, 4096, () => 16)],
      weight: lab.weight("f16", SMALL.rows, 4096, new Float32Array(SMALL.rows * 4096).fill(16)),
    })));

  for (const peak of [1e-30, 1e-6, 1e5, 3e9, 1e30]) {
    test(`tokens with elements up to ${peak} are right, and so are those beside them`, () =>
      check(SMALL, (lab) => ({
        inputs: [
          lab.value(SMALL.tokens, SMALL.columns, (i) => {
            const other = Math.floor(i / SMALL.columns) % 4 === 1;
            return other ? lab.random() * peak : lab.random();
          }),
        ],
      })));
  }
}
