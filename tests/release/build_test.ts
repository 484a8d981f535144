/**
 * The single executable as people get it: built once, then run from an empty folder, without a home, from a place
 * where nothing can be written, knowing nothing of the source tree.
 */
import { createHash } from "node:crypto";
import { assert, assertEquals } from "../support/assert.ts";
import { TempDirectory } from "../support/temp.ts";

const IGNORED_ENV = ["HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "DENO_DIR", "TMPDIR"];

let folder: TempDirectory;
let artifact: string;

Deno.test.beforeAll(() => {
  folder = new TempDirectory();
  artifact = folder.join("zinc");
  const { success, stderr } = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "tools/build.ts", "--out", artifact],
    stdout: "null",
  }).outputSync();
  assert(success, new TextDecoder().decode(stderr));
});

Deno.test.afterAll(() => folder[Symbol.dispose]());

/** Runs the artifact in a fresh empty folder with a bare environment. */
function run(args: string[], env: Record<string, string> = {}) {
  using empty = new TempDirectory();
  const kept = Object.entries(Deno.env.toObject()).filter(([name]) => !IGNORED_ENV.includes(name));
  const { code, stdout, stderr } = new Deno.Command(artifact, {
    args,
    cwd: empty.path,
    clearEnv: true,
    env: { ...Object.fromEntries(kept), ...env },
    stdin: "null",
  }).outputSync();
  assertEquals(empty.names(), [], "the working folder was written to");
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: decode(stdout), stderr: decode(stderr) };
}

/** Copies a golden model away from the source tree. */
function golden(name: string): string {
  const path = folder.join(`${name}.gguf`);
  Deno.copyFileSync(`tests/golden/${name}.gguf`, path);
  return path;
}

const temporaryFolders = () =>
  Array.from(Deno.readDirSync("/tmp"), ({ name }) => name).filter((name) => name.startsWith("zinc-runtime-"));

Deno.test("the executable says its version without a home, and leaves nothing behind", () => {
  const before = temporaryFolders();
  const { code, stdout, stderr } = run(["--version"]);
  assertEquals([code, stderr], [0, ""]);
  assert(/^zinc \d+\.\d+\.\d+\n$/.test(stdout), stdout);
  assertEquals(temporaryFolders(), before);
});

Deno.test("the executable is zinc and not the runtime inside it", () => {
  const { code, stdout, stderr } = run(["eval", "1"]);
  assertEquals([code, stdout, stderr], [
    2,
    "",
    "zinc: Unknown command 'eval'; zinc --help lists the commands\n",
  ]);
});

Deno.test("the executable inspects a model", () => {
  const { code, stdout } = run(["inspect", golden("llama2"), "--json"]);
  assertEquals([code, JSON.parse(stdout).architecture], [0, "llama"]);
});

Deno.test("the executable generates on a device what it should", () => {
  const { prompts: [prompt] } = JSON.parse(Deno.readTextFileSync("tests/golden/llama2.json"));
  const args = [
    "logits",
    "-m",
    golden("llama2"),
    "--tokens",
    prompt.tokens.join(","),
    "--greedy",
    "16",
    "--top",
    "1",
    "--json",
  ];
  const { code, stdout, stderr } = run(args);
  assertEquals(code, 0, stderr);
  assertEquals(JSON.parse(stdout).greedy, prompt.greedy);
});

Deno.test("the executable keeps its runtime in the cache folder where there is one", () => {
  using cache = new TempDirectory();
  const first = run(["--version"], { XDG_CACHE_HOME: cache.path });
  const kept = cache.names();
  const second = run(["--version"], { XDG_CACHE_HOME: cache.path });
  assertEquals(second, first);
  assertEquals(cache.names(), kept);
});

Deno.test("the executable runs where its cache folder cannot be written", () => {
  assertEquals(run(["--version"], { XDG_CACHE_HOME: "/proc/nowhere" }).code, 0);
});

Deno.test("the executable comes with its checksum and names no path of the machine that built it", () => {
  const bytes = Deno.readFileSync(artifact);
  const digest = createHash("sha256").update(bytes).digest("hex");
  assertEquals(Deno.readTextFileSync(`${artifact}.sha256`), `${digest}  zinc\n`);
  const { stdout } = run(["--help"]);
  assert(!stdout.includes(Deno.cwd()), "help names the source tree");
});
