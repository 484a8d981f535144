/** The generated reference is what its generator writes now: `deno task docs` renews it. */
import { assertEquals } from "../support/assert.ts";
import { CLI_DOCS, cliDocs } from "../../tools/write_cli_docs.ts";

Deno.test("docs/cli.md is the program's own help", () => {
  assertEquals(Deno.readTextFileSync(CLI_DOCS), cliDocs());
});
