/**
 * `deno task check` runs this: every exported declaration under `ffi/` and `src/` has a JSDoc comment, as `deno doc --lint`
 * sees it. Its other complaints are left aside: members whose name says it all need no sentence that repeats it, types
 * from npm packages always count as private there, and constants whose type follows from a table (struct layouts,
 * families) would only repeat the table.
 */
import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const files = globSync(["ffi/**/*.ts", "src/**/*.ts"], { cwd: ROOT });
const { stderr } = new Deno.Command(Deno.execPath(), {
  args: ["doc", "--lint", ...files],
  cwd: ROOT,
  env: { NO_COLOR: "1" },
  stdout: "null",
}).outputSync();
// deno-lint-ignore no-control-regex -- colours may come all the same
const report = new TextDecoder().decode(stderr).replace(/\x1b\[[0-9;]*m/g, "").replaceAll(ROOT, "");
if (!/documentation lint error/.test(report) && report.includes("error")) {
  console.error(report);
  Deno.exit(1);
}
const missing = Array.from(
  report.matchAll(/^error\[missing-jsdoc\].*\n\s*-->\s*(\S+)\s*\n\s*\|\s*\n\s*\d+ \|(.*)$/gm),
);
const silent = missing.filter(([, , line]) => line.trimStart().startsWith("export "));
for (const [, place, line] of silent) console.error(`${place} has no documentation: ${line.trim()}`);
if (silent.length > 0) Deno.exit(1);
