import { pool } from "../../src/inference/pooling.ts";
import { openModel } from "../../src/models/open_model.ts";
import { alterGguf } from "../support/altered_gguf.ts";
import { assertAllNear, assertFails } from "../support/assert.ts";
import { CONTEXT, EXECUTORS, goldenModel, testEncoder } from "../support/golden.ts";
import { TempDirectory } from "../support/temp.ts";

testEncoder(
  "modern-bert has windows to both sides, two rotary bases and no norm in front of its first attention",
  "modern_bert",
);

/** A copy of the golden model that names an activation. */
function withActivation(folder: TempDirectory, name: string): string {
  const path = folder.join(`${name}.gguf`);
  alterGguf(goldenModel("modern_bert"), path, { set: [["modern-bert.hidden_activation", "string", name]] });
  return path;
}

for (const executor of EXECUTORS) {
  Deno.test(`modern-bert gates by the activation that the file names (on ${executor.name})`, async () => {
    using folder = new TempDirectory();
    using model = openModel(withActivation(folder, "silu"), CONTEXT);
    using engine = await executor.open(model, CONTEXT);
    // The golden case's first prompt through transformers 5.24.0 with hidden_activation = "silu": first elements of the mean.
    const tokens = Int32Array.of(317, 159, 79, 91, 27, 145, 69, 105, 318);
    const expected = [0.00139, 1.19758, -0.26998, -1.33715, 0.69583, 0.0999, -0.07412, 0.10396];
    const states = await engine.forward({ tokens, position: 0 }, tokens.length);
    assertAllNear(pool(states, model.config.hidden, "mean").subarray(0, 8), expected, 1e-4);
  });
}

Deno.test("openModel() names an activation that modern-bert does not know", async () => {
  using folder = new TempDirectory();
  await assertFails(
    () => openModel(withActivation(folder, "relu")),
    `"modern-bert.hidden_activation": "relu" is not known (supported: gelu, silu)`,
  );
});
