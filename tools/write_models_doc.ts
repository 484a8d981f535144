/** Writes `docs/models.md` from the registry of families: `deno task docs`. */
import { familiesMarkdown } from "../src/models/table.ts";

Deno.writeTextFileSync(new URL("../docs/models.md", import.meta.url), familiesMarkdown());
