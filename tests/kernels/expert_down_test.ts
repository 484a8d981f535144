import { expertDown, type ExpertDownNode } from "../../src/kernels/expert_down.ts";
import { type FormatName, FORMATS } from "../../src/quant/formats.ts";
import { assertClose, type Lab, openBench, PRODUCT_FORMS } from "./harness.ts";

const bench = openBench();
/** The formats that experts are published in; what decodes the others is tested with matmul. */
const EXPERT_FORMATS: readonly FormatName[] = [
  "f32",
  "f16",
  "bf16",
  "q4_0",
  "q8_0",
  "q4_k",
  "q5_k",
  "q6_k",
  "iq4_xs",
  "mxfp4",
];

interface Shape {
  readonly format: FormatName;
  readonly rows: number;
  readonly experts: number;
  readonly used: number;
  readonly hidden: number;
  readonly columns: number;
}

const SMALL: Shape = { format: "f32", rows: 3, experts: 5, used: 2, hidden: 37, columns: 64 };

function node(lab: Lab, shape: Shape, more: (operands: ExpertDownNode["inputs"]) => Partial<ExpertDownNode>) {
  const { format, rows, experts, used, hidden, columns } = shape;
  const inputs = [
    lab.value(rows, used * columns),
    lab.value(rows, used, (i) => (i + Math.floor(i / used)) % experts),
    lab.value(rows, used),
  ] as const;
  return {
    op: "expert_down",
    inputs,
    outputs: [lab.value(rows, hidden)],
    weight: lab.experts(format, experts, hidden, columns),
    scale: 1,
    weighted: true,
    ...more(inputs),
  } satisfies ExpertDownNode;
}

async function check(
  shape: Shape,
  more: (lab: Lab, operands: ExpertDownNode["inputs"]) => Partial<ExpertDownNode> = () => ({}),
): Promise<void> {
  for (const { options, tolerance } of PRODUCT_FORMS) {
    using lab = bench.lab(options);
    const results = await lab.run(expertDown, node(lab, shape, (inputs) => more(lab, inputs)));
    assertClose(results, tolerance, JSON.stringify(shape));
  }
}

for (const format of EXPERT_FORMATS) {
  Deno.test(`expert_down with ${format} weights sums the chosen experts and equals its reference`, async () => {
    const columns = FORMATS[format].blockLength < 32 ? 96 : 2 * FORMATS[format].blockLength;
    await check({ format, rows: 2, experts: 4, used: 3, hidden: 17, columns });
  });
}

Deno.test("expert_down takes rows that are not whole chunks", async () => {
  for (const format of ["f32", "f16"] as const) await check({ ...SMALL, format, columns: 27 });
});

Deno.test("expert_down takes more columns than fit in shared memory at once", async () => {
  await check({ ...SMALL, rows: 1, columns: 5000, hidden: 5 });
});

Deno.test("expert_down takes chosen experts whose rows together do not fit in shared memory", async () => {
  for (const format of ["f32", "q4_k"] as const) {
    await check({ ...SMALL, format, rows: 1, used: 4, columns: 8192, hidden: 5 });
  }
});

Deno.test("expert_down gives a workgroup many rows", async () => {
  await check({ ...SMALL, format: "q5_k", rows: 1, used: 4, columns: 512, hidden: 2005 });
});

Deno.test("expert_down adds weighted biases, a scale and a residual", async () => {
  await check(SMALL, (lab, [h, ids, factors]) => ({
    inputs: [h, ids, factors, lab.value(3, 37)],
    bias: lab.weight("f32", 5, 37),
    scale: 0.6,
  }));
});

Deno.test("expert_down leaves the weights out where the input was weighted", async () => {
  await check(SMALL, () => ({ weighted: false }));
});

for (const rows of [9, 40]) {
  Deno.test(`expert_down serves ${rows} rows expert by expert`, async () => {
    for (const format of ["f32", "q4_k", "mxfp4"] as const) {
      const columns = 2 * Math.max(FORMATS[format].blockLength, 32);
      await check({ format, rows, experts: 5, used: 2, hidden: 37, columns });
    }
  });
}

Deno.test("expert_down serves rows expert by expert with biases, a scale and a residual", async () => {
  for (const weighted of [true, false]) {
    await check({ ...SMALL, rows: 21 }, (lab, [h, ids, factors]) => ({
      inputs: [h, ids, factors, lab.value(21, 37)],
      bias: lab.weight("f32", 5, 37),
      scale: 0.6,
      weighted,
    }));
  }
});
