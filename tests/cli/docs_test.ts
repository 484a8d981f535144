/** Generated pages are what their generators write now: `deno task docs` renews them. */
import { assertEquals } from "../support/assert.ts";
import { CLI_DOCS, cliDocs } from "../../tools/write_cli_docs.ts";
import { MODELS_DOCS, modelsDocs } from "../../tools/write_models_docs.ts";

Deno.test("docs/cli.md is the program's own help", () => {
  assertEquals(Deno.readTextFileSync(CLI_DOCS), cliDocs());
});

Deno.test("docs/models.md is the registry's own table", () => {
  assertEquals(Deno.readTextFileSync(MODELS_DOCS), modelsDocs());
});
