import { router, type RouterNode } from "../../src/kernels/router.ts";
import { assertEquals } from "../support/assert.ts";
import { assertClose, type Lab, openBench } from "./harness.ts";

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
