/** The program's name and version. */
import config from "../../deno.json" with { type: "json" };

/** What `zinc --version` prints, and what benchmarks name as their build. */
export const VERSION_LINE = `zinc ${config.version}`;
