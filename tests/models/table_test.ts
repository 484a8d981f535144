import { familiesMarkdown, familyRows, TRAIT_HEADINGS } from "../../src/models/table.ts";
import { FAMILIES } from "../../src/models/registry.ts";
import { assert, assertEquals } from "../support/assert.ts";

Deno.test("docs/models.md is what `deno task docs` writes", () => {
  const written = Deno.readTextFileSync(new URL("../../docs/models.md", import.meta.url));
  assertEquals(written, familiesMarkdown(), "run `deno task docs`");
});

Deno.test("familyRows() has every family once, with a word for every trait", () => {
  const rows = familyRows();
  assertEquals(new Set(rows.map((row) => row.name)).size, FAMILIES.length);
  for (const row of rows) {
    for (const trait of Object.keys(TRAIT_HEADINGS) as (keyof typeof TRAIT_HEADINGS)[]) {
      assert(row[trait].length > 0, `${row.name} says nothing of ${trait}`);
      assert(!row[trait].includes("|"), `${row.name}: ${trait} would break the table`);
    }
  }
});

Deno.test("familyRows() follows from the knobs that the engine runs", () => {
  const { norm, positions, attention, feedForward, block, biases, output } = familyRows().find((row) =>
    row.name === "Gemma 2"
  )!;
  assertEquals({ norm, positions, attention, feedForward, block, biases, output }, {
    norm: "RMS, around",
    positions: "RoPE, halves",
    attention: "causal, window, every 2nd layer global, soft-capped scores",
    feedForward: "GeGLU",
    block: "sequential",
    biases: "none",
    output: "own or tied, soft-capped",
  });
});
