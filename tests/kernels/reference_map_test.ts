import { assertAllNear, assertEquals } from "../support/assert.ts";
import { evaluate } from "../support/reference_graph.ts";

Deno.test("softcap() leaves small numbers almost alone and never passes the cap", () => {
  const [row] = evaluate(({ graph, value }) => graph.softcap(value([[0, 0.1, 30, 1000, -1000]]), 30));
  // 30 tanh(1) = 22.847825
  assertAllNear(row, [0, 0.0999996, 22.847825, 30, -30], 1e-5);
});

Deno.test("map() clamps both ends", () => {
  const clamp = { kind: "clamp", low: -0.5, high: 2 } as const;
  assertEquals(evaluate(({ graph, value }) => graph.map(value([[-3, -0.5, 1, 7]]), clamp)), [[
    -0.5,
    -0.5,
    1,
    2,
  ]]);
});

Deno.test("map() applies inner factor, function and outer factor in this order", () => {
  const [row] = evaluate(({ graph, value }) =>
    graph.map(value([[-1, 3]]), { kind: "relu_squared" }, { inner: 2, scale: 0.5 })
  );
  assertEquals(row, [0, 18]);
});

// Values of transformers 5.24.0, XIELUActivation with alpha_p = alpha_n = 0.8, beta = 0.5, eps = -1e-6.
Deno.test("map() computes xIELU: a parabola above zero, an exponential below", () => {
  const slope = Math.log1p(Math.exp(0.8));
  const xielu = { kind: "xielu", positive: slope, negative: 0.5 + slope, beta: 0.5, epsilon: -1e-6 } as const;
  const [row] = evaluate(({ graph, value }) => graph.map(value([[-2, -0.5, 0, 0.5, 2]]), xielu));
  assertAllNear(row, [0.8972594, -0.0719765, 0, 0.5427751, 5.6844025], 1e-5);
});

Deno.test("scale() by 1 is the value itself", () => {
  evaluate(({ graph, value }) => {
    const x = value([[1]]);
    assertEquals(graph.scale(x, 1) === x, true);
    return x;
  });
});
