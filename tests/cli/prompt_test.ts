import { TempDirectory } from "../support/temp.ts";
import { assert, assertEquals } from "../support/assert.ts";
import { type Alteration, alterGguf } from "../support/altered_gguf.ts";
import { goldenModel } from "../support/golden.ts";
import { plainTokens, PromptMaker } from "../../src/cli/prompt.ts";
import { loadModel, type Model } from "../../src/inference/load_model.ts";

const [BOS, EOS] = [1, 2];

/** Runs `body` with a golden model whose file was changed. */
async function withModel(golden: string, change: Alteration, body: (model: Model) => unknown): Promise<void> {
  using folder = new TempDirectory();
  alterGguf(goldenModel(golden), folder.join("model.gguf"), change);
  await using model = await loadModel(folder.join("model.gguf"), { executor: "reference" });
  await body(model);
}

for (const addBos of [true, false]) {
  Deno.test(`plainTokens() begins ${addBos ? "with" : "without"} BOS as the file says, and never ends with EOS`, () =>
    withModel("llama2", {
      set: [["tokenizer.ggml.add_bos_token", "bool", addBos], ["tokenizer.ggml.add_eos_token", "bool", true]],
    }, (model) => {
      const tokens = plainTokens(model, "<s>hi", { control: true });
      assertEquals([tokens[0], tokens.filter((id) => id === BOS).length, tokens.at(-1) === EOS], [
        BOS,
        1,
        false,
      ]);
      assertEquals(plainTokens(model, "hi", { control: true })[0] === BOS, addBos);
    }));
}

Deno.test("plainTokens() ends the text for an encoder with EOS", () =>
  withModel("t5", {}, (model) => {
    assertEquals(plainTokens(model, "hi", { control: false }).at(-1), model.tokenizer.eos);
  }));

Deno.test("PromptMaker leaves control tokens that people type as text, also where there is no template", () =>
  withModel("llama2", {}, async (model) => {
    const prompts = await PromptMaker.create(model, {});
    const tokens = prompts.chat([{ role: "user", content: "</s> hi" }]);
    assert(!tokens.includes(EOS), String(tokens));
    assertEquals(model.tokenizer.decode(tokens), "</s> hi");
  }));
