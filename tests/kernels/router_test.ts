import type { Operation } from "../../src/kernels/operation.ts";
import { router, type RouterNode, type RouterProduct } from "../../src/kernels/router.ts";
import type { FormatName } from "../../src/quant/formats.ts";
import { assertEquals } from "../support/assert.ts";
import { assertClose, type Lab, openBench, PRODUCT_FORMS } from "./harness.ts";

const bench = openBench();
const TOLERANCE = 2e-6;

interface Shape {
  readonly rows: number;
  readonly experts: number;
  readonly used: number;
}

function node(
  lab: Lab,
  { rows, experts, used }: Shape,
  more: Partial<RouterNode> = {},
  logit: (i: number) => number = () => 4 * lab.random(),
): RouterNode {
  return {
    op: "router",
    inputs: [lab.value(rows, experts, logit)],
    outputs: [lab.value(rows, used), lab.value(rows, used)],
    scoring: "softmax",
    renormalize: false,
    scale: 1,
    ...more,
  };
}

async function check(shape: Shape, more?: (lab: Lab) => Partial<RouterNode>): Promise<void> {
  using lab = bench.lab();
  assertClose(await lab.run(router, node(lab, shape, more?.(lab))), TOLERANCE, JSON.stringify(shape));
}

for (const scoring of ["softmax", "softmax_chosen", "sigmoid"] as const) {
  for (const renormalize of [false, true]) {
    const how = renormalize ? "weights that sum to one" : "weights as they are";
    Deno.test(`router chooses and weights experts by ${scoring}, ${how}`, async () => {
      for (
        const shape of [
          { rows: 1, experts: 3, used: 1 },
          { rows: 5, experts: 7, used: 3 },
          { rows: 2, experts: 256, used: 8 },
          { rows: 3, experts: 60, used: 60 },
        ]
      ) {
        await check(shape, () => ({ scoring, renormalize }));
      }
    });
  }
}

Deno.test("router lets a bias take part in the choice and not in the weights", async () => {
  await check({ rows: 4, experts: 40, used: 6 }, (lab) => ({
    scoring: "sigmoid",
    selectionBias: lab.weight("f32", 1, 40),
    renormalize: true,
    scale: 2.5,
  }));
});

for (const score of ["best", "best_two"] as const) {
  Deno.test(`router considers only the experts of the best groups, by their ${score.replace("_", " ")}`, async () => {
    await check({ rows: 6, experts: 64, used: 5 }, () => ({
      scoring: "sigmoid",
      groups: { count: 8, used: 3, score },
    }));
    await check({ rows: 6, experts: 4, used: 2 }, () => ({ groups: { count: 4, used: 2, score } }));
  });
}

Deno.test("router multiplies by a factor per expert", async () => {
  await check({ rows: 3, experts: 9, used: 4 }, (lab) => ({ expertScales: lab.weight("f32", 1, 9) }));
});

Deno.test("router prefers the lower id of two equal experts", async () => {
  using lab = bench.lab();
  const { actual } = await lab.run(
    router,
    node(lab, { rows: 1, experts: 50, used: 3 }, {}, (i) => i === 20 ? 1 : 0),
  );
  assertEquals([...actual.slice(0, 3)], [20, 0, 1]);
});

/** A router that scores its experts itself, by a product with `x` of `columns` elements. */
async function checkProduct(
  { rows, experts, used, columns }: Shape & { readonly columns: number },
  format: FormatName,
  more: (lab: Lab) => Partial<RouterNode> & { readonly product?: Partial<RouterProduct> } = () => ({}),
): Promise<void> {
  for (const { options, tolerance } of PRODUCT_FORMS) {
    using lab = bench.lab(options);
    const { product, ...others } = more(lab);
    const operands: RouterNode = {
      ...node(lab, { rows, experts, used }, others),
      inputs: [lab.value(rows, columns)],
      outputs: [lab.value(rows, used), lab.value(rows, used), lab.value(rows, experts)],
      product: { weight: lab.weight(format, experts, columns), scale: 1, ...product },
    };
    assertClose(await lab.run(router, operands), tolerance, `${format} ${rows} ${experts} ${columns}`);
  }
}

for (const format of ["f32", "f16", "bf16", "q8_0"] as const) {
  Deno.test(`router with a product by ${format} weights chooses by its logits`, async () => {
    await checkProduct({ rows: 1, experts: 256, used: 8, columns: 128 }, format);
    await checkProduct({ rows: 1, experts: 5, used: 5, columns: 32 }, format, () => ({ renormalize: true }));
    await checkProduct({ rows: 3, experts: 40, used: 4, columns: 96 }, format);
  });
}

Deno.test("router with a product of rows that are not whole chunks", async () => {
  await checkProduct({ rows: 1, experts: 9, used: 3, columns: 27 }, "f32");
});

Deno.test("router with a product whose x fills shared memory", async () => {
  await checkProduct({ rows: 1, experts: 7, used: 2, columns: 12288 }, "f16");
});

Deno.test("router with a product norms x, adds biases, scales logits and weights, and chooses by groups", async () => {
  await checkProduct({ rows: 1, experts: 64, used: 6, columns: 160 }, "f32", (lab) => ({
    scoring: "sigmoid",
    groups: { count: 8, used: 3, score: "best_two" },
    selectionBias: lab.weight("f32", 1, 64),
    expertScales: lab.weight("f32", 1, 64),
    renormalize: true,
    scale: 2.5,
    product: {
      weight: lab.weight("f32", 64, 160),
      bias: lab.weight("f32", 1, 64),
      scale: 0.3,
      norm: { weight: lab.weight("f32", 1, 160), epsilon: 1e-5 },
    },
  }));
});

Deno.test("router with a product leaves its ticket as it was, so that it can run again", async () => {
  using lab = bench.lab({ strategy: "teams", dots: "all" });
  const operands: RouterNode = {
    ...node(lab, { rows: 1, experts: 300, used: 4 }),
    inputs: [lab.value(1, 64)],
    outputs: [lab.value(1, 4), lab.value(1, 4), lab.value(1, 300)],
    product: { weight: lab.weight("f32", 300, 64), scale: 1 },
  };
  const twice: Operation<RouterNode> = {
    ...router,
    record: (node, gpu) => {
      const tickets = gpu.tickets(1);
      for (let i = 0; i < 2; i++) router.record(node, { ...gpu, tickets: () => tickets });
    },
  };
  assertClose(await lab.run(twice, operands), TOLERANCE * 10);
});
