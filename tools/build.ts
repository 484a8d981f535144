/**
 * `deno task build`: makes `dist/zinc`, one executable with the shaders inside and all permissions baked in.
 *
 * `deno compile` makes it from Deno's runtime base, which it downloads on first use. Where that download is not
 * possible, the executable is a script with an archive behind it: the installed deno and zinc as one JavaScript file
 * (`--self-extracting` asks for that one at once). `--out FILE` names another place.
 */
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runTool } from "./run_tool.ts";

const USAGE = `usage: build.ts [--out FILE] [--self-extracting]
  --out              the executable (default: dist/zinc)
  --self-extracting  a script with the installed deno behind it, which needs no download`;

const ROOT = fileURLToPath(new URL("..", import.meta.url));

function build(args: string[]): void {
  const { values } = parseArgs({
    args,
    options: {
      out: { type: "string", default: join(ROOT, "dist", "zinc") },
      "self-extracting": { type: "boolean" },
    },
  });
  Deno.mkdirSync(dirname(values.out), { recursive: true });
  const compiled = !values["self-extracting"] && compile(values.out);
  if (!compiled) buildSelfExtracting(values.out);
  const bytes = Deno.readFileSync(values.out);
  const digest = sha256(bytes);
  Deno.writeTextFileSync(`${values.out}.sha256`, `${digest}  zinc\n`);
  console.error(`${values.out}: ${(bytes.length / 1e6).toFixed(1)} MB, SHA-256 ${digest}`);
}

/** Runs `deno compile`. False when it could not get its runtime base; exits on any other problem. */
function compile(out: string): boolean {
  const { success, stderr } = run([
    "compile",
    "--quiet",
    "-A",
    "--no-prompt",
    "--output",
    out,
    join(ROOT, "main.ts"),
  ]);
  if (success) return true;
  if (!/base binary|denort/i.test(stderr)) return fail("deno compile", stderr);
  console.error(
    "Deno's runtime base cannot be downloaded here: building a self-extracting executable from the installed deno",
  );
  return false;
}

/** Writes the script, its archive's digest filled in, and the archive behind it. */
function buildSelfExtracting(out: string): void {
  const staging = Deno.makeTempDirSync();
  try {
    const entry = join(ROOT, "tools", "self_extracting_main.ts");
    const { success, stderr } = run(["bundle", "--quiet", "--output", join(staging, "zinc.js"), entry]);
    if (!success) fail("deno bundle", stderr);
    Deno.copyFileSync(Deno.execPath(), join(staging, "deno"));
    Deno.chmodSync(join(staging, "deno"), 0o755);
    const packed = new Deno.Command("tar", { args: ["czf", "-", "-C", staging, "deno", "zinc.js"] })
      .outputSync();
    if (!packed.success) fail("tar", new TextDecoder().decode(packed.stderr));
    const script = scriptFor(packed.stdout);
    Deno.writeFileSync(out, script, { mode: 0o755 });
    Deno.writeFileSync(out, packed.stdout, { append: true });
    Deno.chmodSync(out, 0o755);
  } finally {
    Deno.removeSync(staging, { recursive: true });
  }
}

/** The script for an archive: which one it is, and where it begins in the file. */
function scriptFor(archive: Uint8Array): Uint8Array {
  const template = Deno.readTextFileSync(join(ROOT, "tools", "self_extracting.sh"));
  const id = sha256(archive).slice(0, 16);
  // The offset is part of the text that it counts, so its place is kept at a fixed width. tail counts from 1.
  const width = "@ARCHIVE_OFFSET@".length;
  const text = template.replace("@ARCHIVE_ID@", id);
  const offset = String(new TextEncoder().encode(text).length + 1);
  return new TextEncoder().encode(text.replace("@ARCHIVE_OFFSET@", offset.padEnd(width)));
}

function run(args: string[]): { success: boolean; stderr: string } {
  const output = new Deno.Command(Deno.execPath(), { args, cwd: ROOT, env: { NO_COLOR: "1" } }).outputSync();
  return { success: output.success, stderr: new TextDecoder().decode(output.stderr) };
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function fail(what: string, stderr: string): never {
  console.error(`${what} failed:\n${stderr}`);
  Deno.exit(1);
}

if (import.meta.main) await runTool(build, USAGE);
