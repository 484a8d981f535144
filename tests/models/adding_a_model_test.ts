import { assert } from "../support/assert.ts";

Deno.test("docs/adding-a-model.md shows the family file that runs", () => {
  const read = (path: string) => Deno.readTextFileSync(new URL(`../../${path}`, import.meta.url));
  assert(read("docs/adding-a-model.md").includes(`\`\`\`ts\n${read("src/models/orion.ts")}\`\`\``));
});
