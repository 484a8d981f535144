/**
 * Every filter on numbers that can be checked in the head: logits are logarithms of the probabilities 0.5, 0.25, 0.15
 * and 0.1, given to the tokens in a shuffled order.
 */
import { type Candidate, candidatesOf } from "../../../src/inference/sampling/candidates.ts";
import { minP } from "../../../src/inference/sampling/min_p.ts";
import { penalties } from "../../../src/inference/sampling/penalties.ts";
import { temperature } from "../../../src/inference/sampling/temperature.ts";
import { topK } from "../../../src/inference/sampling/top_k.ts";
import { topP } from "../../../src/inference/sampling/top_p.ts";
import { resolveSampling } from "../../../src/inference/sampling/mod.ts";
import { assertAllNear, assertEquals, assertFails } from "../../support/assert.ts";

const candidates = candidatesOf([0.15, 0.5, 0.1, 0.25].map(Math.log));
const ids = (list: readonly Candidate[]) => list.map(({ id }) => id);

Deno.test("topK() keeps the k best, best first", () => {
  assertEquals(ids(topK(candidates, 1)), [1]);
  assertEquals(ids(topK(candidates, 3)), [1, 3, 0]);
});

Deno.test("topK() keeps everything for 0 and for more than there are", () => {
  assertEquals(ids(topK(candidates, 0)), [0, 1, 2, 3]);
  assertEquals(ids(topK(candidates, 9)), [0, 1, 2, 3]);
});

Deno.test("topK() keeps the lowest ids of equal logits", () => {
  assertEquals(ids(topK(candidatesOf([1, 2, 1, 1, 1]), 3)), [1, 0, 2]);
});

Deno.test("topP() keeps the fewest best tokens that reach the share", () => {
  assertEquals(ids(topP(candidates, 0.4)), [1]); // 0.5 >= 0.4
  assertEquals(ids(topP(candidates, 0.7)), [1, 3]); // 0.5 + 0.25 >= 0.7
  assertEquals(ids(topP(candidates, 0.8)), [1, 3, 0]); // 0.75 < 0.8 <= 0.9
  assertEquals(ids(topP(candidates, 0.95)), [1, 3, 0, 2]);
});

Deno.test("topP() keeps the best token even for 0, and all for 1", () => {
  assertEquals(ids(topP(candidates, 0)), [1]);
  assertEquals(ids(topP(candidates, 1)), [0, 1, 2, 3]);
});

Deno.test("topP() takes shares of what earlier filters left", () => {
  // Of 0.5 and 0.25 alone the first is two thirds: enough for 0.6, where it would not be of all four.
  assertEquals(ids(topP(topK(candidates, 2), 0.6)), [1]);
  assertEquals(ids(topP(candidates, 0.6)), [1, 3]);
});

Deno.test("minP() keeps tokens relative to the best one's probability", () => {
  assertEquals(ids(minP(candidates, 0.4)), [1, 3]); // at least 0.2
  assertEquals(ids(minP(candidates, 0.25)), [0, 1, 3]); // at least 0.125
  assertEquals(ids(minP(candidates, 0)), [0, 1, 2, 3]);
  assertEquals(ids(minP(candidates, 1)), [1]);
});

Deno.test("temperature() divides the distances to the best logit", () => {
  const halved = temperature(candidatesOf([4, 2, -1]), 0.5);
  assertEquals(halved, [{ id: 0, logit: 0 }, { id: 1, logit: -4 }, { id: 2, logit: -10 }]);
});

Deno.test("temperature() stays finite at the best token for the smallest temperature", () => {
  assertEquals(temperature(candidatesOf([1e5, -1e5]), 5e-324)[0].logit, 0);
});

Deno.test("penalties() divides positive logits, multiplies negative ones, and subtracts per occurrence", () => {
  const options = resolveSampling({ repeatPenalty: 2, frequencyPenalty: 0.5, presencePenalty: 0.25 });
  const result = penalties(candidatesOf([3, 3, -3, 3]), [1, 2, 1], options);
  // Token 1 (twice): 3 / 2 - 2 * 0.5 - 0.25; token 2 (once): -3 * 2 - 0.5 - 0.25.
  assertAllNear(result.map(({ logit }) => logit), [3, 0.25, -6.75, 3], 1e-12);
});

Deno.test("penalties() looks at the last repeatLastN tokens only", () => {
  const logits = (repeatLastN: number) =>
    penalties(candidatesOf([1, 1, 1]), [0, 1, 2], resolveSampling({ presencePenalty: 1, repeatLastN }))
      .map(({ logit }) => logit);
  assertEquals(logits(0), [1, 1, 1]);
  assertEquals(logits(1), [1, 1, 0]);
  assertEquals(logits(2), [1, 0, 0]);
  assertEquals(logits(64), [0, 0, 0]);
});

Deno.test("candidatesOf() leaves out tokens banned by -infinity", () => {
  assertEquals(ids(candidatesOf([1, -Infinity, -1e30])), [0, 2]);
});

for (const bad of [NaN, Infinity]) {
  Deno.test(`candidatesOf() refuses ${bad} wherever it stands`, async () => {
    for (let at = 0; at < 3; at++) {
      const logits = [0, -Infinity, 5];
      logits[at] = bad;
      await assertFails(
        () => candidatesOf(logits),
        "Cannot choose a token: the model computed logits that are not finite",
      );
    }
  });
}

Deno.test("candidatesOf() refuses a vocabulary without any allowed token", async () => {
  await assertFails(() => candidatesOf([-Infinity, -Infinity]), "every token of the vocabulary is excluded");
});
