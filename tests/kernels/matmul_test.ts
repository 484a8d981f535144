import { matmul, type MatmulNode } from "../../src/kernels/matmul.ts";
import type { KernelSetOptions } from "../../src/kernels/kernel_set.ts";
import { type FormatName, FORMATS } from "../../src/quant/formats.ts";
import { assertClose, type Lab, openBench } from "./harness.ts";

const bench = openBench();
const DEVICE_FORMATS = Object.values(FORMATS).filter((format) => format.device).map((format) => format.name);
const STRATEGIES = ["teams", "lanes"] as const;
/** Float32 sums of a few hundred products in different orders. */
const TOLERANCE = 2e-6;

interface Shape {
  readonly format: FormatName;
  readonly rows: number;
  readonly columns: number;
  readonly tokens: number;
}

function node(
  lab: Lab,
  { format, rows, columns, tokens }: Shape,
  more: Partial<MatmulNode> = {},
): MatmulNode {
  return {
    op: "matmul",
    inputs: [lab.value(tokens, columns)],
    outputs: [lab.value(tokens, rows)],
    weight: lab.weight(format, rows, columns),
    activation: "none",
    scale: 1,
    ...more,
  };
}

async function check(
  shape: Shape,
  options: KernelSetOptions,
  more?: (lab: Lab) => Partial<MatmulNode>,
): Promise<void> {
  using lab = bench.lab(options);
  assertClose(
    await lab.run(matmul, node(lab, shape, more?.(lab))),
    TOLERANCE,
    JSON.stringify({ ...shape, ...options }),
  );
}

for (const strategy of STRATEGIES) {
  for (const format of DEVICE_FORMATS) {
    Deno.test(`matmul with ${format} weights equals its reference, sharing work by ${strategy}`, async () => {
      const columns = 3 * FORMATS[format].blockLength;
      await check({ format, rows: 65, columns: columns < 32 ? 96 : columns, tokens: 1 }, { strategy });
    });
  }
}
