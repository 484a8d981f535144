/** How the scripts under tools/ and bench/ answer questions and mistakes. */
import { fileURLToPath } from "node:url";
import { assert, assertEquals } from "../support/assert.ts";
import { TempDirectory } from "../support/temp.ts";

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
    "bench/formats.ts",
    "bench/sampler.ts",
    "bench/start.ts",
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
  ["bench/formats.ts", ["--format", "q9"], /^Unknown format "q9" for --format; it takes .*\n$/],
  ["bench/formats.ts", ["--columns", "1000"], /^Expected a multiple of 256 for --columns, found 1000\n$/],
  [
    "bench/sampler.ts",
    ["--vocabulary", "4194304"],
    /^Expected at most 4194303 tokens for --vocabulary, found .*\n$/,
  ],
  ["bench/start.ts", ["-m", "x.gguf", "--runs", "0"], /^Expected .* for --runs, found "0"\n$/],
  ["tools/build.ts", ["--what"], /^Unknown option '--what'.*\n$/],
];

for (const [script, args, message] of MISTAKES) {
  Deno.test(`${script} ${args.join(" ")} is a mistake that takes a line`, async () => {
    const { code, stdout, stderr } = await run(script, ...args);
    assertEquals([code, stdout], [2, ""]);
    assert(message.test(stderr), stderr);
  });
}

Deno.test("bench/formats.ts times products with a matrix of the size that was asked for", async () => {
  const size = ["--megabytes", "1", "--columns", "512", "--format", "q4_0,f16"];
  const { code, stdout } = await run("bench/formats.ts", ...size, "--json");
  assertEquals(code, 0);
  const lines = stdout.trim().split("\n").map((line) => JSON.parse(line));
  assertEquals(lines.map(({ format, rows, columns, bytes }) => [format, rows, columns, bytes]), [
    ["q4_0", 3473, 512, 3473 * 512 / 32 * 18],
    ["f16", 977, 512, 977 * 512 * 2],
  ]);
  for (const { samples_us, limit_gb_per_s } of lines) {
    assert([...samples_us, limit_gb_per_s].every((number) => number > 0), stdout);
  }
});

Deno.test("bench/sampler.ts times one kind of sampling after the other", async () => {
  const { code, stdout } = await run("bench/sampler.ts", "--vocabulary", "1000", "--json");
  assertEquals(code, 0);
  const lines = stdout.trim().split("\n").map((line) => JSON.parse(line));
  assertEquals(lines.map(({ kernels, vocabulary }) => [kernels, vocabulary]), [
    ["greedy", 1000],
    ["top", 1000],
    ["draw", 1000],
    ["best+draw", 1000],
    ["best+mass+draw", 1000],
    ["best+count+mass+draw", 1000],
    ["penalties+best+count+mass+draw", 1000],
  ]);
  assert(lines.every(({ samples_us }) => samples_us.every((us: number) => us > 0)), stdout);
});

Deno.test("bench/start.ts times a run with an empty cache and the runs behind it", async () => {
  using folder = new TempDirectory();
  const model = folder.join("model.gguf");
  assertEquals((await run("tools/synth_model.ts", "smollm2-135m", model, "--layers", "1")).code, 0);
  const { code, stdout } = await run("bench/start.ts", "-m", model, "--runs", "2", "--json");
  assertEquals(code, 0);
  const lines = stdout.trim().split("\n").map((line) => JSON.parse(line));
  assertEquals(lines.map(({ cached, exit_ms }) => [cached, exit_ms.length]), [["nothing", 1], ["all", 2]]);
  for (const { first_text_ms, exit_ms } of lines) {
    assert(first_text_ms.every((ms: number, i: number) => ms > 0 && ms < exit_ms[i]), stdout);
  }
});

Deno.test("bench/start.ts says in a line why there is nothing to measure", async () => {
  const { code, stdout, stderr } = await run("bench/start.ts", "-m", "missing.gguf");
  assertEquals([code, stdout], [1, ""]);
  assert(/^Cannot measure: ".*" failed: zinc: Cannot .*missing\.gguf.*\n$/.test(stderr), stderr);
});
