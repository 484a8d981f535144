import { norm, type NormKind, type NormNode } from "../../src/kernels/norm.ts";
import { assertClose, type Lab, openBench } from "./harness.ts";

const bench = openBench();
const TOLERANCE = 2e-6;
const KINDS: readonly NormKind[] = ["rms", "layer", "l2"];

function node(lab: Lab, width: number, more: Partial<NormNode> = {}): NormNode {
  return {
    op: "norm",
    inputs: [lab.value(2, width)],
    outputs: [lab.value(2, width)],
    kind: "rms",
    groupWidth: width,
    epsilon: 1e-5,
    ...more,
  };
}

for (const kind of KINDS) {
  for (const width of [1, 3, 63, 65, 257, 4097]) {
    Deno.test(`norm (${kind}) of rows of ${width} elements`, async () => {
      using lab = bench.lab({ strategy: "teams" });
      const weight = lab.weight("f32", 1, width);
      const bias = lab.weight("f32", 1, width);
      assertClose(await lab.run(norm, node(lab, width, { kind, weight, bias })), TOLERANCE);
    });
  }
}

for (const groupWidth of [1, 5, 64, 128]) {
  for (const strategy of ["teams", "lanes"] as const) {
    Deno.test(`norm of heads of ${groupWidth} elements with one weight for all (${strategy})`, async () => {
      using lab = bench.lab({ strategy });
      const weight = lab.weight("f32", 1, groupWidth);
      assertClose(await lab.run(norm, node(lab, 7 * groupWidth, { groupWidth, weight })), TOLERANCE);
    });
  }
}

Deno.test("norm of groups with a weight for every element of the row", async () => {
  using lab = bench.lab();
  const weight = lab.weight("f32", 3, 20);
  assertClose(await lab.run(norm, node(lab, 60, { groupWidth: 20, weight })), TOLERANCE);
});

for (const workgroup of [8, 32, 1024]) {
  Deno.test(`norm in workgroups of ${workgroup} lanes`, async () => {
    using lab = bench.lab({ strategy: "teams", workgroup });
    assertClose(await lab.run(norm, node(lab, 600, { kind: "layer" })), TOLERANCE);
  });
}

Deno.test("norm reads and writes columns of wider values", async () => {
  using lab = bench.lab();
  const inputs = [lab.columns(lab.value(2, 70), 3, 33)] as const;
  const outputs = [lab.columns(lab.value(2, 40), 7, 33)] as const;
  assertClose(await lab.run(norm, node(lab, 33, { inputs, outputs, groupWidth: 11 })), TOLERANCE);
});

Deno.test("norm of a row of zeros is zeros", async () => {
  using lab = bench.lab();
  for (const kind of KINDS) {
    assertClose(await lab.run(norm, node(lab, 16, { kind, inputs: [lab.value(2, 16, () => 0)] })), TOLERANCE);
  }
});

Deno.test("norm of a row of 1e15 does not overflow", async () => {
  using lab = bench.lab();
  assertClose(await lab.run(norm, node(lab, 300, { inputs: [lab.value(2, 300, () => 1e15)] })), TOLERANCE);
});
