import { openModel } from "../../src/models/open_model.ts";
import { alterGguf } from "../support/altered_gguf.ts";
import { assertNear } from "../support/assert.ts";
import { CONTEXT, EXECUTORS, goldenModel, logitsOf } from "../support/golden.ts";
import { TempDirectory } from "../support/temp.ts";
import { VARIANTS } from "./variants.ts";

interface Expected {
  readonly tokens: number[];
  /** Logits below the best one's. */
  readonly top: [id: number, below: number][];
}

const EXPECTED: Record<string, Expected> = JSON.parse(
  Deno.readTextFileSync(new URL("variants.json", import.meta.url)),
);

/** Covers the float16 table that llama.cpp takes GELU from; a setting that is ignored moves these logits by 0.1 and more. */
const TOLERANCE = 0.01;

for (const [name, { title, golden, change }] of Object.entries(VARIANTS)) {
  for (const executor of EXECUTORS) {
    Deno.test(`${title} (${name} on ${executor.name})`, async () => {
      using folder = new TempDirectory();
      const path = folder.join("variant.gguf");
      alterGguf(goldenModel(golden), path, change);
      using model = openModel(path, CONTEXT);
      const { tokens, top } = EXPECTED[name];
      for (const ubatch of [7, CONTEXT]) {
        using engine = await executor.open(model, ubatch);
        const logits = (await logitsOf(engine, tokens)).at(-1)!;
        const best = logits[top[0][0]];
        for (const [id, below] of top) assertNear(logits[id] - best, below, TOLERANCE, `token ${id}:`);
      }
    });
  }
}
