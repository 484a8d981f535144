/**
 * The `zinc` script on machines that lack something: PATH holds only the tools that a test gives it, stand-ins record how
 * the real npm, pip and apt-get would have been called.
 */
import { assert, assertEquals } from "../support/assert.ts";
import { TempDirectory } from "../support/temp.ts";

// What the script may take for granted on any POSIX system.
const BASE_TOOLS = [
  "sh",
  "cat",
  "cut",
  "getent",
  "grep",
  "id",
  "ls",
  "mkdir",
  "mktemp",
  "mv",
  "readlink",
  "rm",
  "sed",
  "tail",
  "tee",
  "uname",
];

// A deno that knows its version and prints how it was called; `$DENO_TEST_OUTPUT` plays the output of deno test.
const DENO = `#!/bin/sh
case $1 in
  --version) echo "deno \${FAKE_DENO_VERSION:-2.9.6} (stable)" ;;
  test) cat "$FAKE_TEST_OUTPUT"; exit "\${FAKE_TEST_STATUS:-0}" ;;
  task) exit "\${FAKE_CHECK_STATUS:-0}" ;;
  *) for argument; do echo "<$argument>"; done ;;
esac
`;

/** A machine with its own PATH, home and copy of the repository's entry points. */
class Machine implements Disposable {
  readonly #folder = new TempDirectory();
  readonly bin: string;
  readonly root: string;

  constructor() {
    this.bin = this.#folder.join("bin");
    this.root = this.#folder.join("a repository");
    for (const folder of [this.bin, this.root, this.join("tests", "cli")]) {
      Deno.mkdirSync(folder, { recursive: true });
    }
    Deno.copyFileSync("zinc", this.join("zinc"));
    for (const tool of BASE_TOOLS) {
      const { stdout } = new Deno.Command("sh", { args: ["-c", `command -v ${tool}`] }).outputSync();
      Deno.symlinkSync(new TextDecoder().decode(stdout).trim(), `${this.bin}/${tool}`);
    }
  }

  join(...names: string[]): string {
    return [this.root, ...names].join("/");
  }

  get cache(): string {
    return this.#folder.join("cache");
  }

  /** Adds a program to PATH, in place of one of the same name. */
  tool(name: string, script: string): this {
    // Never write through the link to the real program.
    if (BASE_TOOLS.includes(name)) Deno.removeSync(`${this.bin}/${name}`);
    Deno.writeTextFileSync(`${this.bin}/${name}`, script, { mode: 0o755 });
    return this;
  }

  run(args: string[], options: { env?: Record<string, string>; cwd?: string; script?: string } = {}) {
    const { code, stdout, stderr } = new Deno.Command(options.script ?? this.join("zinc"), {
      args,
      cwd: options.cwd ?? this.#folder.path,
      clearEnv: true,
      env: {
        PATH: this.bin,
        XDG_CACHE_HOME: this.cache,
        VK_DRIVER_FILES: "x",
        LD_LIBRARY_PATH: "x",
        ...options.env,
      },
    }).outputSync();
    const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    return { code, stdout: decode(stdout), stderr: decode(stderr) };
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }
}

// Installs DENO where npm puts the binary of its platform package: --prefix is the second argument.
const NPM = `#!/bin/sh
echo "$*" > "$0.called"
mkdir -p "$3/node_modules/@deno/some-platform"
cat > "$3/node_modules/@deno/some-platform/deno" <<'END'
${DENO}END
chmod() { PATH=/bin:/usr/bin command chmod "$@"; }
chmod +x "$3/node_modules/@deno/some-platform/deno"
`;
const BROKEN_NPM = "#!/bin/sh\necho 'npm: no network' >&2\nexit 1\n";
const PYTHON = `#!/bin/sh
echo "$*" >> "$0.called"
while [ $# -gt 0 ] && [ "$1" != --target ]; do shift; done
[ $# -gt 0 ] || exit 0
mkdir -p "$2/bin"
cat > "$2/bin/deno" <<'END'
${DENO}END
PATH=/bin:/usr/bin chmod +x "$2/bin/deno"
`;

Deno.test("zinc runs main.ts with the deno on PATH and is silent about it", () => {
  using machine = new Machine().tool("deno", DENO);
  const { code, stdout, stderr } = machine.run(["run", "-p", "two words"]);
  assertEquals([code, stderr], [0, ""]);
  assertEquals(stdout.trim().split("\n").slice(-4), [
    `<${machine.join("main.ts")}>`,
    "<run>",
    "<-p>",
    "<two words>",
  ]);
});

Deno.test("zinc works through symbolic links, from any folder, without HOME", () => {
  using machine = new Machine().tool("deno", DENO);
  Deno.symlinkSync("zinc", machine.join("relative"));
  Deno.symlinkSync(machine.join("relative"), `${machine.bin}/absolute`);
  for (
    const options of [{ cwd: "/" }, { script: `${machine.bin}/absolute` }, {
      cwd: machine.root,
      script: "./relative",
    }]
  ) {
    const { code, stdout } = machine.run(["--version"], options);
    assertEquals([code, stdout.includes(`<${machine.join("main.ts")}>`)], [0, true]);
  }
});

Deno.test("zinc installs deno with npm into its own folder, once", () => {
  using machine = new Machine().tool("npm", NPM);
  const first = machine.run(["list"]);
  assertEquals([first.code, first.stderr], [
    0,
    `zinc: installing deno 2.9.6 with npm into ${machine.cache}/zinc/deno\n`,
  ]);
  assertEquals(Array.from(Deno.readDirSync(`${machine.cache}/zinc`), ({ name }) => name), ["deno"]);
  Deno.removeSync(`${machine.bin}/npm`);
  const second = machine.run(["list"]);
  assertEquals([second.code, second.stderr], [0, ""]);
  assertEquals(second.stdout, first.stdout);
});

Deno.test("zinc installs deno with pip where npm is missing or fails", () => {
  for (const npm of [undefined, BROKEN_NPM]) {
    using machine = new Machine().tool("python3", PYTHON);
    if (npm) machine.tool("npm", npm);
    const { code, stderr } = machine.run(["list"]);
    assertEquals(code, 0);
    assert(stderr.endsWith(`zinc: installing deno 2.9.6 with pip into ${machine.cache}/zinc/deno\n`), stderr);
  }
});

Deno.test("zinc does not use a deno that is too old", () => {
  using machine = new Machine().tool("deno", DENO).tool("npm", NPM);
  const { code, stderr } = machine.run(["list"], { env: { FAKE_DENO_VERSION: "2.3.1" } });
  // The installed stand-in claims the same version, so nothing usable comes of it.
  assertEquals(code, 1);
  assert(stderr.includes("installing deno 2.9.6 with npm"), stderr);
});

Deno.test("zinc says what to install when nothing can install deno, and leaves nothing behind", () => {
  using machine = new Machine();
  const { code, stderr } = machine.run(["list"]);
  assertEquals(code, 1);
  assertEquals(
    stderr,
    "zinc: cannot install deno 2.9.6: install deno, or npm, or python3 with pip, and try again\n",
  );
  assertEquals(Array.from(Deno.readDirSync(`${machine.cache}/zinc`)), []);
});

Deno.test("zinc says in one line that there is no place for a cache, unless deno has one of its own", () => {
  using machine = new Machine().tool("deno", DENO);
  const base = `${machine.join("zinc")}/cache`; // below a file
  const { code, stderr } = machine.run(["list"], { env: { XDG_CACHE_HOME: base } });
  assertEquals([code, stderr], [
    1,
    `zinc: cannot create ${base}/deno: set XDG_CACHE_HOME to a folder that can be written\n`,
  ]);
  assertEquals(machine.run(["list"], { env: { XDG_CACHE_HOME: base, DENO_DIR: machine.cache } }).code, 0);
});

Deno.test("zinc says in one line that nobody knows the home folder", () => {
  using machine = new Machine().tool("deno", DENO).tool("getent", "#!/bin/sh\nexit 2\n");
  const { code, stderr } = machine.run(["list"], { env: { XDG_CACHE_HOME: "" } });
  assertEquals([code, stderr], [
    1,
    "zinc: cannot find a cache folder: set HOME, or XDG_CACHE_HOME to a folder that can be written\n",
  ]);
});

const ROOT_ID = "#!/bin/sh\necho 0\n";
const USER_ID = "#!/bin/sh\necho 1000\n";
Deno.test("zinc looks for a Vulkan driver before commands that need one, but not to show help or a version", () => {
  const uname = '#!/bin/sh\necho "looking for a driver" >&2\necho Other\n';
  using machine = new Machine().tool("deno", DENO).tool("uname", uname);
  const looks = (...args: string[]) => machine.run(args).stderr.includes("looking for a driver");
  assertEquals([looks("chat"), looks("run", "-p", "--", "--help")], [true, true]);
  assertEquals([looks("chat", "--help"), looks("bench", "-h"), looks("--version"), looks("list")], [
    false,
    false,
    false,
    false,
  ]);
});

const APT = '#!/bin/sh\necho "apt-get $*" >&2\n';

Deno.test("zinc installs pip with apt-get for root, when zinc itself asks for it to fetch a model", () => {
  using machine = new Machine().tool("deno", DENO).tool("apt-get", APT).tool("id", ROOT_ID);
  const { code, stdout, stderr } = machine.run(["install-pip"]);
  assertEquals([code, stdout], [0, ""]);
  assertEquals(stderr.split("\n"), [
    "zinc: installing python3-pip with apt-get",
    "apt-get update -qq",
    "apt-get install -y -qq --no-install-recommends python3-pip",
    "",
  ]);
});

Deno.test("zinc installs no packages for an ordinary user", () => {
  using machine = new Machine().tool("deno", DENO).tool("apt-get", APT).tool("id", USER_ID);
  const { code, stderr } = machine.run(["install-pip"]);
  assertEquals([code, stderr], [1, ""]);
});

const TEST_OUTPUT = "test one ... ok\n\nok | 12 passed (3 steps) | 0 failed | 2 ignored (1s)\n\n";

function runTests(output: string, env: Record<string, string> = {}, args: string[] = []) {
  using machine = new Machine().tool("deno", DENO);
  Deno.writeTextFileSync(machine.join("output"), output);
  const { code, stdout, stderr } = machine.run(["test", ...args], {
    env: { FAKE_TEST_OUTPUT: machine.join("output"), ...env },
  });
  return { code, last: stdout.trimEnd().split("\n").at(-1), stderr };
}

Deno.test("zinc test ends with deno's own counts", () => {
  assertEquals(runTests(TEST_OUTPUT).last, "12 passed, 0 failed, 2 skipped");
  assertEquals(runTests("ok | 7 passed | 0 failed (1s)\n").last, "7 passed, 0 failed");
  assertEquals(runTests(TEST_OUTPUT).code, 0);
});

Deno.test("zinc test fails when a test fails, whatever colours deno uses", () => {
  const output = "\x1b[0m\x1b[31mFAILED\x1b[0m | 3 passed | 2 failed \x1b[38;5;245m(1s)\x1b[0m\n";
  const { code, last } = runTests(output, { FAKE_TEST_STATUS: "1" });
  assertEquals([code, last], [1, "3 passed, 2 failed"]);
});

Deno.test("zinc test fails when deno test crashes after or before its summary", () => {
  assertEquals(
    runTests("error: Type checking failed\n", { FAKE_TEST_STATUS: "1" }).last,
    "0 passed, 1 failed",
  );
  const { code, last } = runTests(TEST_OUTPUT, { FAKE_TEST_STATUS: "139" });
  assertEquals([code, last], [1, "12 passed, 1 failed, 2 skipped"]);
});

Deno.test("zinc test counts failing checks of format, lint, types and documentation", () => {
  const { code, last } = runTests(TEST_OUTPUT, { FAKE_CHECK_STATUS: "1" });
  assertEquals([code, last], [1, "12 passed, 1 failed, 2 skipped"]);
});

Deno.test("zinc test LAYER runs that layer without the checks, and names the layers when there is no such one", () => {
  assertEquals(
    runTests(TEST_OUTPUT, { FAKE_CHECK_STATUS: "1" }, ["cli"]).last,
    "12 passed, 0 failed, 2 skipped",
  );
  const { code, stderr } = runTests(TEST_OUTPUT, {}, ["clii"]);
  assertEquals([code, stderr], [2, 'zinc: no tests named "clii": choose one of cli\n']);
});

Deno.test({
  name: "zinc is clean to shellcheck",
  ignore: !commandExists("shellcheck"),
  fn: () => {
    const { code, stdout } = new Deno.Command("shellcheck", { args: ["-s", "sh", "zinc"] }).outputSync();
    assertEquals([code, new TextDecoder().decode(stdout)], [0, ""]);
  },
});

function commandExists(name: string): boolean {
  return new Deno.Command("sh", { args: ["-c", `command -v ${name}`], stdout: "null" }).outputSync().success;
}
