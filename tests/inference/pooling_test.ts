import { normalised, pool, poolingOf, throughDenseLayers } from "../../src/inference/pooling.ts";
import { openModel } from "../../src/models/open_model.ts";
import { alterGguf } from "../support/altered_gguf.ts";
import { assertAllNear, assertEquals, assertFails } from "../support/assert.ts";
import { goldenModel } from "../support/golden.ts";
import { TempDirectory } from "../support/temp.ts";

const STATES = Float32Array.of(1, 2, 3, 4, 8, 0);

Deno.test("pool() takes the mean, the first or the last state", () => {
  assertEquals([...pool(STATES, 2, "mean")], [4, 2]);
  assertEquals([...pool(STATES, 2, "cls")], [1, 2]);
  assertEquals([...pool(STATES, 2, "last")], [8, 0]);
});

Deno.test("normalised() has length 1, and leaves zeros alone", () => {
  assertAllNear(normalised(Float32Array.of(3, -4)), [0.6, -0.8], 1e-7);
  assertEquals([...normalised(new Float32Array(2))], [0, 0]);
});

Deno.test("poolingOf() follows the file, and without a word takes the last state of a decoder", () => {
  const poolings = ["bert_cls", "nomic_bert", "qwen3"].map((name) => {
    using model = openModel(goldenModel(name));
    return poolingOf(model);
  });
  assertEquals(poolings, ["cls", "mean", "last"]);
});

Deno.test("poolingOf() refuses models that rank", async () => {
  using folder = new TempDirectory();
  const path = folder.join("ranker.gguf");
  alterGguf(goldenModel("bert_mean"), path, { set: [["bert.pooling_type", "u32", 4]] });
  using model = openModel(path);
  await assertFails(() => poolingOf(model), "it ranks pairs of texts");
});

Deno.test("throughDenseLayers() multiplies by both layers of the file, or changes nothing", () => {
  using folder = new TempDirectory();
  const path = folder.join("dense.gguf");
  const wide = { name: "dense_2.weight", dims: [2, 3], values: Float32Array.of(1, 0, 0, 1, 1, 1) };
  const narrow = { name: "dense_3.weight", dims: [3, 1], values: Float32Array.of(1, 10, 100) };
  alterGguf(goldenModel("gemma_embedding"), path, { add: [wide, narrow] });
  const vector = Float32Array.of(2, 3);
  using dense = openModel(path);
  assertEquals([...throughDenseLayers(dense, vector)], [532]);
  using plain = openModel(goldenModel("gemma_embedding"));
  assertEquals(throughDenseLayers(plain, vector), vector);
});
