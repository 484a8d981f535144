/** How the scripts under tools/ and bench/ answer questions and mistakes. */
import { fileURLToPath } from "node:url";
import { assert, assertEquals } from "../support/assert.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

async function run(script: string, ...args: string[]) {
  const command = new Deno.Command(Deno.execPath(), { args: ["run", "-A", script, ...args], cwd: ROOT });
  const { code, stdout, stderr } = await command.output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}

for (
  const script of [
    "tools/synth_model.ts",
    "tools/shader_stats.ts",
    "tools/build.ts",
    "bench/compare_llama_cpp.ts",
  ]
) {
  Deno.test(`${script} --help says how it is used`, async () => {
    const { code, stdout, stderr } = await run(script, "--help");
    assertEquals([code, stderr], [0, ""]);
    assert(stdout.startsWith(`usage: ${script.split("/")[1]} `), stdout);
  });
}

const MISTAKES: [script: string, args: string[], message: RegExp][] = [
  [
    "tools/synth_model.ts",
    ["smollm2-135m", "x.gguf", "--layers", "none"],
    /^Expected .* for --layers, found "none"\n$/,
  ],
  [
    "tools/synth_model.ts",
    ["smollm2-135m", "x.gguf", "--quant", "q9"],
    /^Unknown type "q9" for --quant; it takes .*\n$/,
  ],
  [
    "tools/shader_stats.ts",
    ["smollm2-135m", "--subgroup", "abc"],
    /^Expected .* for --subgroup, found "abc"\n$/,
  ],
  [
    "tools/shader_stats.ts",
    ["smollm2-135m", "--context", "0.5"],
    /^Expected .* for --context, found "0.5"\n$/,
  ],
  ["tools/build.ts", ["--what"], /^Unknown option '--what'.*\n$/],
];

for (const [script, args, message] of MISTAKES) {
  Deno.test(`${script} ${args.join(" ")} is a mistake that takes a line`, async () => {
    const { code, stdout, stderr } = await run(script, ...args);
    assertEquals([code, stdout], [2, ""]);
    assert(message.test(stderr), stderr);
  });
}
