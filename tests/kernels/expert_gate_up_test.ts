import { expertGateUp, type ExpertGateUpNode } from "../../src/kernels/expert_gate_up.ts";
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
  readonly inner: number;
  readonly columns: number;
}

const SMALL: Shape = { format: "f32", rows: 3, experts: 5, used: 2, inner: 33, columns: 64 };

/** For row r, slot s: a different expert for each slot, another in each row. */
function ids(lab: Lab, { rows, used, experts }: Shape) {
  return lab.value(rows, used, (i) => (i + Math.floor(i / used)) % experts);
}

function node(lab: Lab, shape: Shape, more: Partial<ExpertGateUpNode> = {}): ExpertGateUpNode {
  const { format, rows, experts, used, inner, columns } = shape;
  return {
    op: "expert_gate_up",
    inputs: [lab.value(rows, columns), ids(lab, shape)],
    outputs: [lab.value(rows, used * inner)],
    weights: {
      gate: lab.experts(format, experts, inner, columns),
      up: lab.experts(format, experts, inner, columns),
    },
    activation: "silu",
    limit: Infinity,
    upOffset: 0,
    ...more,
  };
}

async function check(shape: Shape, more?: (lab: Lab) => Partial<ExpertGateUpNode>): Promise<void> {
  for (const { options, tolerance } of PRODUCT_FORMS) {
    using lab = bench.lab(options);
    const results = await lab.run(expertGateUp, node(lab, shape, more?.(lab)));
    assertClose(results, tolerance, JSON.stringify(shape));
  }
}

for (const format of EXPERT_FORMATS) {
  Deno.test(`expert_gate_up with ${format} weights reads the chosen experts and equals its reference`, async () => {
    const columns = FORMATS[format].blockLength < 32 ? 96 : 2 * FORMATS[format].blockLength;
    await check({ format, rows: 2, experts: 4, used: 3, inner: 9, columns });
  });
}

Deno.test("expert_gate_up takes rows that are not whole chunks", async () => {
  for (const format of ["f32", "f16"] as const) await check({ ...SMALL, format, columns: 27 });
});

Deno.test("expert_gate_up takes more columns than fit in shared memory at once", async () => {
  for (const columns of [5000, 12288]) await check({ ...SMALL, rows: 1, columns, inner: 5 });
});

Deno.test("expert_gate_up gives a workgroup many rows", async () => {
  await check({ ...SMALL, format: "q4_k", rows: 1, used: 4, columns: 768, inner: 515 });
});

Deno.test("expert_gate_up reads gate and up from one stack", async () => {
  await check(SMALL, (lab) => ({ weights: { gateUp: lab.experts("f32", 5, 66, 64) } }));
});

Deno.test("expert_gate_up without a gate applies the activation to the up projection", async () => {
  await check(
    SMALL,
    (lab) => ({ weights: { up: lab.experts("f32", 5, 33, 64) }, activation: "relu_squared" }),
  );
});

Deno.test("expert_gate_up adds biases, clamps and shifts", async () => {
  await check(SMALL, (lab) => ({
    gateBias: lab.weight("f32", 5, 33),
    upBias: lab.weight("f32", 5, 33),
    activation: "gelu_quick",
    limit: 0.5,
    upOffset: 1,
  }));
});

Deno.test("expert_gate_up weights the input where asked to", async () => {
  await check(SMALL, (lab) => ({ inputs: [lab.value(3, 64), ids(lab, SMALL), lab.value(3, 2)] }));
});

Deno.test("expert_gate_up norms its input first where asked to", async () => {
  for (const columns of [64, 27]) {
    await check(
      { ...SMALL, columns },
      (lab) => ({ norm: { weight: lab.weight("f32", 1, columns), epsilon: 1e-5 } }),
    );
  }
});

for (const rows of [9, 40]) {
  Deno.test(`expert_gate_up serves ${rows} rows expert by expert`, async () => {
    for (const format of ["f32", "q4_k", "mxfp4"] as const) {
      const columns = 2 * Math.max(FORMATS[format].blockLength, 32);
      await check({ format, rows, experts: 5, used: 2, inner: 33, columns });
    }
  });
}

Deno.test("expert_gate_up serves rows expert by expert with biases, weighted input and a norm", async () => {
  const shape = { ...SMALL, rows: 21 };
  await check(shape, (lab) => ({
    inputs: [lab.value(21, 64), ids(lab, shape), lab.value(21, 2)],
    gateBias: lab.weight("f32", 5, 33),
    upBias: lab.weight("f32", 5, 33),
    norm: { weight: lab.weight("f32", 1, 64), epsilon: 1e-5 },
  }));
});

Deno.test("expert_gate_up serves rows that all chose the same expert", async () => {
  const shape = { ...SMALL, rows: 30, used: 1 };
  await check(shape, (lab) => ({ inputs: [lab.value(30, 64), lab.value(30, 1, () => 3)] }));
});
