/** Every `tokenizer_samples` of the golden kit: texts with the ids that the model's file gives them. */
import { globSync } from "node:fs";
import { basename } from "node:path";
import { openGguf } from "../../src/gguf/mod.ts";
import { createTokenizer } from "../../src/tokenizer/mod.ts";
import { assert, assertEquals } from "../support/assert.ts";

interface Sample {
  text: string;
  ids: number[];
}

const folder = new URL("../golden/", import.meta.url).pathname;
// WordPiece and Unigram normalize text, so decoding does not give it back.
const LOSSY = new Set(["bert", "t5"]);

function samplesOf(path: string): Sample[] {
  // Python writes Infinity and NaN, which JSON does not have.
  const json = Deno.readTextFileSync(path.replace(/\.gguf$/, ".json")).replace(/-?(Infinity|NaN)/g, "null");
  return JSON.parse(json).tokenizer_samples ?? [];
}

for (const path of globSync(`${folder}*.gguf`).filter((path) => !path.endsWith("-mmproj.gguf")).sort()) {
  const samples = samplesOf(path);
  if (samples.length === 0) continue;
  const name = basename(path, ".gguf");

  Deno.test(`encode() gives the recorded ids of ${name}`, () => {
    using file = openGguf(path);
    const tokenizer = createTokenizer(file.metadata);
    assertEquals(tokenizer.warnings, []);
    for (const { text, ids } of samples) {
      assertEquals(tokenizer.encode(text, { parseSpecial: true }), ids, text);
    }
  });

  Deno.test(`decode() gives the texts of ${name} back`, () => {
    using file = openGguf(path);
    const tokenizer = createTokenizer(file.metadata);
    if (LOSSY.has(tokenizer.kind)) return;
    for (const { text } of samples) {
      const ids = tokenizer.encode(text, { parseSpecial: true, addSpecial: false });
      assertEquals(tokenizer.decode(ids, { skipSpecial: false }), text);
    }
  });
}

Deno.test("the golden kit holds tokenizer samples", () => {
  assert(
    globSync(`${folder}*.gguf`).some((path) => !path.endsWith("-mmproj.gguf") && samplesOf(path).length > 0),
  );
});
