/** `zinc bench` as a user runs it. */
import { assert, assertEquals } from "../support/assert.ts";
import { goldenModel } from "../support/golden.ts";
import { TempDirectory } from "../support/temp.ts";
import { runZinc } from "./support/run_zinc.ts";

const MODEL = goldenModel("llama_q8_0");
const QUICK = ["-p", "6", "-n", "3", "-r", "2", "--executor", "reference"];

Deno.test("zinc bench goes on after a model that fails, keeps the others' results and ends with 1", async () => {
  const models = [MODEL, "/nowhere/a.gguf", goldenModel("qwen3")].join(",");
  const { code, stdout, stderr } = await runZinc(["bench", "-m", models, ...QUICK, "-o", "json"]);
  assertEquals(code, 1);
  assertEquals(
    JSON.parse(stdout).map((row: { model_type: string; test: string }) => `${row.model_type}: ${row.test}`),
    ["llama 115K Q8_0: pp6", "llama 115K Q8_0: tg3", "qwen3 119K all F32: pp6", "qwen3 119K all F32: tg3"],
  );
  assertEquals(
    stderr,
    'zinc: Cannot read "/nowhere/a.gguf": there is no such file\nzinc: 2 of 6 tests have no result\n',
  );
});

Deno.test("zinc bench runs every test that fits a model of learned positions, and says which does not", async () => {
  const model = goldenModel("gpt2");
  const { code, stdout, stderr } = await runZinc([
    "bench",
    "-m",
    model,
    ...QUICK,
    "-d",
    "0,600",
    "-o",
    "jsonl",
  ]);
  assertEquals(code, 1);
  assertEquals(stdout.trimEnd().split("\n").map((line) => JSON.parse(line).test), ["pp6", "tg3"]);
  assert(/Cannot run pp6 @ d600: it needs 606 positions, the model has 128/.test(stderr), stderr);
});

Deno.test("zinc bench on a device measures its limit and writes the page", async () => {
  using folder = new TempDirectory();
  const page = folder.join("bench.html");
  const args = ["-m", MODEL, "-p", "8", "-n", "8", "-r", "3", "-o", "json", "--profile", "--html", page];
  const { code, stdout } = await runZinc(["bench", ...args]);
  assertEquals(code, 0);
  const [prompt, generation] = JSON.parse(stdout);
  assertEquals([prompt.samples_ns.length, generation.samples_ns.length], [3, 3]);
  assert(generation.limit_gb_per_s > 0 && generation.dispatches_per_token > 1);
  assert(generation.submissions_per_token <= 1);
  assertEquals(
    generation.profile.reduce((sum: number, { dispatches }: { dispatches: number }) => sum + dispatches, 0),
    generation.dispatches_per_token,
  );
  assert(Deno.readTextFileSync(page).includes(generation.device));
});

Deno.test("zinc bench says before it starts that the page cannot be written", async () => {
  const { code, stdout, stderr } = await runZinc([
    "bench",
    "-m",
    MODEL,
    ...QUICK,
    "--html",
    "/nowhere/a.html",
  ]);
  assertEquals([code, stdout], [1, ""]);
  assert(stderr.startsWith('zinc: Cannot write "/nowhere/a.html": '), stderr);
});

Deno.test("zinc bench runs the tests that memory suffices for, and says how long the others may be", async () => {
  const { code, stdout, stderr } = await runZinc(
    ["bench", "-m", MODEL, "-p", "6", "-n", "0", "-r", "1", "-d", "0,9000000,64,8000000", "-o", "jsonl"],
    { env: { ZINC_VK_MEMORY_LIMIT: "1GiB" } },
  );
  assertEquals(code, 1);
  assertEquals(stdout.trimEnd().split("\n").map((line) => JSON.parse(line).test), ["pp6", "pp6 @ d64"]);
  const failures = stderr.split("\n").filter((line) => line.includes("Cannot load"));
  assertEquals(failures.length, 2);
  for (const line of failures) assert(/; try tests of \d+ positions at most$/.test(line), line);
  assert(stderr.includes("2 of 4 tests have no result"), stderr);
});

Deno.test("zinc bench refuses models that generate nothing", async () => {
  const model = goldenModel("bert_mean");
  const { code, stderr } = await runZinc(["bench", "-m", model, ...QUICK]);
  assertEquals([code, stderr.split("\n")[0]], [
    1,
    `zinc: Cannot benchmark "${model}": it is an encoder, not a decoder`,
  ]);
});

Deno.test("zinc bench refuses to measure nothing", async () => {
  const { code, stdout, stderr } = await runZinc(["bench", "-m", MODEL, "-p", "0", "-n", "0"]);
  assertEquals([code, stdout, stderr], [2, "", "zinc: Nothing to measure: -p and -n are both 0\n"]);
});

Deno.test("zinc bench names a number that it cannot use", async () => {
  const { code, stderr } = await runZinc(["bench", "-p", "512,x"]);
  assertEquals(code, 2);
  assert(stderr.includes("--n-prompt") && stderr.includes("Expected a whole number from 0 on"), stderr);
});
