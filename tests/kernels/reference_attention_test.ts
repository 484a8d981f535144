/**
 * The rarer terms of attention, by numbers that can be worked out by hand: with queries or keys of zero every score is what the
 * term alone adds, and weights are small fractions.
 */
import { ReferenceState } from "../../src/graph/reference_executor.ts";
import type { StateSlot } from "../../src/kernels/operation.ts";
import { assertAllNear } from "../support/assert.ts";
import { evaluate } from "../support/reference_graph.ts";

const KEYS: StateSlot = { id: 0, name: "keys", kind: "kv", width: 1 };
const VALUES: StateSlot = { id: 1, name: "values", kind: "kv", width: 2 };
const ONE_HEAD = { keys: KEYS, values: VALUES, heads: 1, kvHeads: 1, headDim: 1, valueDim: 2, scale: 1 };

Deno.test("attention() adds a bias by distance and takes the last one for all that is farther", () => {
  const rows = evaluate(({ graph, value, weight }) => {
    graph.storeKv(value([[0], [0], [0]]), value([[1, 0], [0, 1], [0, 0]]), KEYS, VALUES);
    const relativeBias = weight([[Math.log(3), 0, Math.log(100)]]);
    return graph.attention(value([[1], [1], [1]]), { ...ONE_HEAD, relativeBias });
  }, { batch: { tokens: Int32Array.of(0, 0, 0) } });
  assertAllNear(rows.flat(), [1, 0, 3 / 4, 1 / 4, 3 / 7, 3 / 7], 1e-6);
});

Deno.test("attention() adds biases for keys ahead where they can be seen", () => {
  const rows = evaluate(({ graph, value, weight }) => {
    graph.storeKv(value([[0], [0]]), value([[1, 0], [0, 1]]), KEYS, VALUES);
    const relativeBias = weight([[Math.log(3), 0, Math.log(4)]]);
    return graph.attention(value([[1], [1]]), { ...ONE_HEAD, causal: false, relativeBias });
  }, { batch: { tokens: Int32Array.of(0, 0) } });
  assertAllNear(rows.flat(), [1 / 5, 4 / 5, 3 / 4, 1 / 4], 1e-6);
});

Deno.test("attention() raises scores by the logarithm of passed intervals", () => {
  // Scores 0 and ln 2, so the weights stand as 1 to 2^t with t = 1 + scale ln(1 + floor(position / 4)).
  const temperature = { scale: 1 / Math.log(3), interval: 4, offset: 0 };
  const weightsAt = (position: number) => {
    const state = new ReferenceState(16);
    const [row] = evaluate(({ graph, value }) => {
      graph.storeKv(value([[Math.log(2)]]), value([[0, 1]]), KEYS, VALUES);
      return graph.attention(value([[1]]), { ...ONE_HEAD, window: 2, temperature });
    }, { batch: { position }, state });
    return row[1];
  };
  assertAllNear([weightsAt(3), weightsAt(8), weightsAt(11)], [2 / 3, 4 / 5, 4 / 5], 1e-6);
});

Deno.test("attention() over an encoder sees all of its rows from every position, and no others", () => {
  const state = new ReferenceState(16);
  state.slot(VALUES).set([1, 0, 0, 1, 7, 7]);
  const rows = evaluate(
    ({ graph, value }) => graph.attention(value([[1], [1]]), { ...ONE_HEAD, encoder: true }),
    { batch: { tokens: Int32Array.of(0, 0), position: 5, encoderLength: 2 }, state },
  );
  assertAllNear(rows.flat(), [0.5, 0.5, 0.5, 0.5], 1e-6);
});

Deno.test("attention() of an encoder reaches half a window to each side", () => {
  const rows = evaluate(({ graph, value }) => {
    const ones = [[1, 0], [1, 0], [0, 1], [0, 1], [0, 1]];
    graph.storeKv(value(ones.map(() => [0])), value(ones), KEYS, VALUES);
    return graph.attention(value(ones.map(() => [1])), { ...ONE_HEAD, causal: false, window: 2 });
  }, { batch: { tokens: new Int32Array(5) } });
  assertAllNear(rows.map(([first]) => first), [1, 2 / 3, 1 / 3, 0, 0], 1e-6);
});
