import { openModel } from "../../src/models/open_model.ts";
import { alterGguf } from "../support/altered_gguf.ts";
import { assertAllNear } from "../support/assert.ts";
import { CONTEXT, goldenCase, goldenModel, logitsOf, REFERENCE, VULKAN_FLOAT32 } from "../support/golden.ts";
import { TempDirectory } from "../support/temp.ts";
import { MIXTURE_VARIANTS } from "./mixture_variants.ts";
import { VARIANTS } from "./variants.ts";

interface Expected {
  /** The eight best tokens. */
  readonly ids: number[];
  /** How far each one's logit is below the best. */
  readonly below: number[];
}

const EXPECTED: Record<string, Expected> = JSON.parse(
  Deno.readTextFileSync(new URL("variants.json", import.meta.url)),
);

/** So many tokens of the golden case's third prompt are fed. */
const TOKENS = 80;

/** Covers the float16 table that llama.cpp takes GELU from; a setting that is ignored moves these logits by 0.1 and more. */
const TOLERANCE = 0.01;

for (const [name, { title, golden, change }] of Object.entries({ ...VARIANTS, ...MIXTURE_VARIANTS })) {
  for (const executor of [REFERENCE, VULKAN_FLOAT32]) {
    Deno.test(`${title} (${name} on ${executor.name})`, async () => {
      using folder = new TempDirectory();
      const path = folder.join("variant.gguf");
      alterGguf(goldenModel(golden), path, change);
      using model = openModel(path, CONTEXT);
      const { ids, below } = EXPECTED[name];
      const tokens = goldenCase<{ prompts: { tokens: number[] }[] }>(golden).prompts[2].tokens.slice(
        0,
        TOKENS,
      );
      for (const ubatch of [7, CONTEXT]) {
        using engine = await executor.open(model, ubatch);
        const logits = (await logitsOf(engine, tokens)).at(-1)!;
        assertAllNear(ids.map((id) => logits[ids[0]] - logits[id]), below, TOLERANCE, "below the best:");
      }
    });
  }
}
