import { openModel } from "../../src/models/open_model.ts";
import { assertAllNear, assertEquals } from "../support/assert.ts";
import { CONTEXT, EXECUTORS, goldenCase, goldenModel } from "../support/golden.ts";

for (const executor of EXECUTORS) {
  Deno.test(`hidden states are what the output matrix is multiplied with (llama2 on ${executor.name})`, async () => {
    using model = openModel(goldenModel("llama2"), CONTEXT);
    using engine = await executor.open(model, CONTEXT);
    const { tokens, logits_last: expected } =
      goldenCase<{ prompts: { tokens: number[]; logits_last: number[] }[] }>(
        "llama2",
      ).prompts[0];
    const hidden = await engine.forward({ tokens: Int32Array.from(tokens), position: 0 }, 1, {
      result: "hidden",
    });
    const output = model.tensors.values("output.weight", model.config.vocab * hidden.length);
    const logits = expected.map((_, id) => {
      const row = output.subarray(id * hidden.length, (id + 1) * hidden.length);
      return row.reduce((sum, weight, i) => sum + weight * hidden[i], 0);
    });
    assertAllNear(logits, expected, goldenCase<{ tolerance: number }>("llama2").tolerance);
  });
}

Deno.test("every decoder can end in hidden states instead of logits", () => {
  const cases: { name: string; architecture: string }[] = goldenCase("index");
  const texts = cases.filter(({ architecture }) => architecture !== "-" && !architecture.includes("clip"));
  for (const { name } of texts) {
    using model = openModel(goldenModel(name), CONTEXT);
    assertEquals(model.build(2, 1, "hidden").result.width, model.config.hidden, name);
  }
});
