/** What the program says about itself and to those who mistype. */
import { existsSync } from "node:fs";
import { assert, assertEquals } from "../support/assert.ts";
import { runZinc } from "./support/run_zinc.ts";
import config from "../../deno.json" with { type: "json" };

// A Vulkan library that is not there: nothing here may need one.
const NO_DRIVER = { env: { ZINC_VULKAN_LIBRARY: "/nowhere/libvulkan.so" } };

Deno.test("zinc --version prints one line", async () => {
  assertEquals(await runZinc(["--version"], NO_DRIVER), {
    code: 0,
    stdout: `zinc ${config.version}\n`,
    stderr: "",
  });
});

Deno.test("zinc --help lists the commands on standard output, zinc alone on standard error with 2", async () => {
  const help = await runZinc(["--help"], NO_DRIVER);
  assertEquals([help.code, help.stderr], [0, ""]);
  for (const command of ["chat", "run", "tokenize", "inspect", "devices", "check", "pull", "list", "rm"]) {
    assert(new RegExp(`^  ${command}\\b`, "m").test(help.stdout), command);
  }
  assertEquals(await runZinc([], NO_DRIVER), { code: 2, stdout: "", stderr: help.stdout });
});

Deno.test("zinc COMMAND --help and zinc help COMMAND say the same", async () => {
  const help = await runZinc(["inspect", "--help"], NO_DRIVER);
  assertEquals(help.code, 0);
  assertEquals(await runZinc(["help", "inspect"], NO_DRIVER), help);
});

const USAGE_ERRORS: [args: string[], message: string][] = [
  [["inspekt"], "Unknown command 'inspekt'; did you mean inspect?"],
  [["help", "nothing"], "Unknown command 'nothing'; zinc --help lists the commands"],
  [["eval", "1"], "Unknown command 'eval'; zinc --help lists the commands"],
  [["--hlep"], "Unknown option '--hlep'; did you mean --help?"],
  [["tokenize", "--jsn", "x"], "Unknown option '--jsn'; did you mean --json?"],
  [["inspect"], "Missing required argument 'file'"],
  [["inspect", "x.gguf", "--tensor"], "Option '--tensor <name>' argument missing"],
  [
    ["inspect", "x.gguf", "-c", "0"],
    "Option '-c, --ctx <tokens>' argument '0' is invalid. Expected a whole number from 1 on",
  ],
  [
    ["run", "-ctk", "q4_0"],
    "Option '--cache-type-k <type>' argument 'q4_0' is invalid. Allowed choices are f32, f16, q8_0",
  ],
  [
    ["bench", "--cache-type-v", "int8"],
    "Option '--cache-type-v <type>' argument 'int8' is invalid. Allowed choices are f32, f16, q8_0",
  ],
  [["chat", "-ctv"], "Option '--cache-type-v <type>' argument missing"],
  [["inspect", "x.gguf", "--raw-f32", "y"], "--raw-f32 needs --tensor"],
  [["tokenize", "--jsonl", "x", "text"], "Give either a text or --jsonl, not both"],
  [["detokenize"], "Give token ids, such as: zinc detokenize 1,2,3"],
  [["detokenize", "1", "--tokens", "2"], "Give either token ids or --tokens, not both"],
  [["detokenize", "1,x"], 'Expected token ids such as 1,2,3, found "x"'],
  [["list", "extra"], "Too many arguments for 'list'. Expected 0 arguments but got 1: extra"],
];

for (const [args, message] of USAGE_ERRORS) {
  Deno.test(`zinc ${args.join(" ")} is a usage error`, async () => {
    assertEquals(await runZinc(args, NO_DRIVER), { code: 2, stdout: "", stderr: `zinc: ${message}\n` });
  });
}

Deno.test("a command that needs a driver says in one line what to install", async () => {
  const { code, stdout, stderr } = await runZinc(["devices"], NO_DRIVER);
  assertEquals([code, stdout], [1, ""]);
  assert(/^zinc: Cannot find a Vulkan loader .*install libvulkan1.*\n$/.test(stderr), stderr);
});

/** Runs `zinc ARGUMENTS` as part of a shell's command line. */
async function shell(arguments_: string) {
  const command = `${Deno.execPath()} run -A --quiet main.ts ${arguments_}`;
  const { code, stdout, stderr } = await new Deno.Command("sh", { args: ["-c", command] }).output();
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return [code, decode(stdout), decode(stderr)];
}

Deno.test("output to a reader who leaves ends quietly", async () => {
  const tensor = "inspect tests/golden/quants.gguf --json --tensor Q4_0";
  assertEquals(await shell(`${tensor} | head -c 9`), [0, '{"name":"', ""]);
});

Deno.test({
  name: "a full standard output is an error of one line, a full standard error none (needs /dev/full)",
  ignore: !existsSync("/dev/full"),
  fn: async () => {
    const problem = "zinc: Cannot write to standard output: No space left on device (os error 28)\n";
    assertEquals(await shell("--version >/dev/full"), [1, "", problem]);
    assertEquals((await shell("detokenize 2>/dev/full"))[0], 2);
  },
});
