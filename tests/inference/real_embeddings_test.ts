/**
 * all-MiniLM-L6-v2 on the Vulkan executor gives the token ids and vectors of the original weights and tokenizer
 * (tests/golden/real/README.md), and vectors that are alike where texts are.
 */
import { embed } from "../../src/inference/embed.ts";
import { loadModel } from "../../src/inference/load_model.ts";
import { assert, assertAllNear, assertEquals } from "../support/assert.ts";
import { needsModel } from "../support/models.ts";

interface Reference {
  readonly tolerance: { readonly f16: number };
  readonly cases: readonly { text: string; tokens: number[]; embedding: number[] }[];
}

const REFERENCE: Reference = JSON.parse(
  Deno.readTextFileSync(new URL("../golden/real/all-MiniLM-L6-v2.json", import.meta.url)),
);

const { path, ignore, note } = needsModel("all-MiniLM-L6-v2.F16.gguf");

Deno.test({
  name: `all-MiniLM-L6-v2 turns texts into the ids and vectors of the original${note}`,
  ignore,
  async fn() {
    await using model = await loadModel(path);
    using engine = model.createEngine();
    for (const { text, tokens, embedding } of REFERENCE.cases) {
      const ids = model.tokenizer.encode(text);
      assertEquals(ids, tokens, text);
      const vector = await embed(model.open, engine, ids);
      assertAllNear(vector, embedding, REFERENCE.tolerance.f16, `"${text}":`);
    }
  },
});

Deno.test({
  name: `all-MiniLM-L6-v2 finds the text that means the same in other words${note}`,
  ignore,
  async fn() {
    await using model = await loadModel(path);
    using engine = model.createEngine();
    const [cat, feline, markets, reset, forgot] = await Array.fromAsync(
      REFERENCE.cases.slice(0, 5),
      ({ text }) => embed(model.open, engine, model.tokenizer.encode(text)),
    );
    const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, i) => sum + x * b[i], 0);
    assert(cosine(cat, feline) > 0.5 && cosine(reset, forgot) > 0.4);
    for (const other of [cat, feline, reset, forgot]) assert(cosine(markets, other) < 0.15);
  },
});
