import { openModel } from "../../src/models/open_model.ts";
import { alterGguf } from "../support/altered_gguf.ts";
import { assertEquals } from "../support/assert.ts";
import { CONTEXT, goldenCase, goldenModel, logitsOf, REFERENCE, testDecoder } from "../support/golden.ts";
import { TempDirectory } from "../support/temp.ts";

testDecoder(
  "qwen3next shares key heads among neighbouring value heads and gates attention's output",
  "qwen3next",
);
testDecoder("qwen35 shares key heads among value heads in turn", "qwen35");
testDecoder("qwen35moe adds experts and a gated shared one to every layer", "qwen35moe");

Deno.test("qwen35 leaves the block at the end alone that predicts further tokens", async () => {
  using folder = new TempDirectory();
  const path = folder.join("model.gguf");
  alterGguf(goldenModel("qwen35"), path, {
    set: [["qwen35.block_count", "u32", 5], ["qwen35.nextn_predict_layers", "u32", 1]],
    add: [{ name: "blk.4.nextn.eh_proj.weight", dims: [128, 64], values: new Float32Array(128 * 64) }],
  });
  const { tokens } = goldenCase<{ prompts: { tokens: number[] }[] }>("qwen35").prompts[0];
  const [plain, withBlock] = await Promise.all([goldenModel("qwen35"), path].map(async (file) => {
    using model = openModel(file, CONTEXT);
    using engine = await REFERENCE.open(model, CONTEXT);
    return await logitsOf(engine, tokens);
  }));
  assertEquals(withBlock, plain);
});
