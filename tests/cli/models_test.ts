/** Commands that run a model, on golden models; the reference executor where the device plays no part. */
import { assert, assertEquals, maxAbsDifference } from "../support/assert.ts";
import { runZinc } from "./support/run_zinc.ts";

const LLAMA = "tests/golden/llama2.gguf";
const REFERENCE = ["--executor", "reference"];

// deno-lint-ignore no-explicit-any -- golden files have many shapes
const golden = (name: string): any => JSON.parse(Deno.readTextFileSync(`tests/golden/${name}.json`));

async function json(args: string[], stdin?: string) {
  const { code, stdout, stderr } = await runZinc(args, { stdin });
  assertEquals(code, 0, stderr);
  return JSON.parse(stdout);
}

Deno.test("zinc logits gives the golden logits and greedy tokens, on the device and in the reference", async () => {
  const { prompts: [prompt], tolerance, tolerance_with_float16_kv_cache: halfTolerance } = golden("llama2");
  for (const [executor, allowed] of [["reference", tolerance], ["vulkan", halfTolerance]]) {
    const args = [
      "logits",
      "-m",
      LLAMA,
      "--executor",
      executor,
      "--tokens",
      prompt.tokens.join(","),
      "--greedy",
      "16",
      "--json",
    ];
    const result = await json(args);
    assertEquals(result.tokens, prompt.tokens);
    assert(maxAbsDifference(result.logits, prompt.logits_last) <= allowed, executor);
    assertEquals(result.greedy, prompt.greedy, executor);
  }
});

Deno.test("zinc logits --top and --each-position give [id, logit], highest first", async () => {
  const { prompts: [prompt], tolerance } = golden("llama2");
  const args = [
    "logits",
    "-m",
    LLAMA,
    ...REFERENCE,
    "--tokens",
    prompt.tokens.join(","),
    "--top",
    "3",
    "--each-position",
    "--json",
  ];
  const { logits, positions } = await json(args);
  assertEquals(logits.length, 3);
  const expected = [...prompt.top5_each_position, prompt.top5_each_position.at(-1).slice(0, 3)];
  for (const [index, row] of [...positions, logits].entries()) {
    assertEquals(row.map(([id]: [number]) => id), expected[index].map(([id]: [number]) => id));
    const values = (pairs: [number, number][]) => pairs.map(([, logit]) => logit);
    assert(maxAbsDifference(values(row), values(expected[index])) <= tolerance);
  }
});

Deno.test("zinc logits gives the same for every chunk size", async () => {
  const { prompts: [, prompt] } = golden("mamba");
  const at = async (ubatch: string) =>
    (await json([
      "logits",
      "-m",
      "tests/golden/mamba.gguf",
      ...REFERENCE,
      "--tokens",
      prompt.tokens.join(","),
      "--ubatch",
      ubatch,
      "--json",
    ]))
      .logits;
  const [one, seven, all] = [await at("1"), await at("7"), await at("512")];
  assert(maxAbsDifference(one, all) < 1e-4 && maxAbsDifference(seven, all) < 1e-4);
});

Deno.test("zinc logits --decoder-tokens feeds the decoder of an encoder-decoder model", async () => {
  const { prompts: [prompt], tolerance } = golden("t5");
  const tokens = ["--tokens", prompt.tokens.join(","), "--decoder-tokens", prompt.decoder_tokens.join(",")];
  const result = await json([
    "logits",
    "-m",
    "tests/golden/t5.gguf",
    ...REFERENCE,
    ...tokens,
    "--greedy",
    "16",
    "--json",
  ]);
  assert(maxAbsDifference(result.logits, prompt.logits_last) <= tolerance);
  assertEquals(result.greedy, prompt.greedy); // from the decoder's first token alone
});

Deno.test("zinc run --json gives text, tokens, stop reason and timings", async () => {
  const args = [
    "run",
    "-m",
    LLAMA,
    ...REFERENCE,
    "--raw",
    "-p",
    "Hello",
    "--temp",
    "0",
    "-n",
    "8",
    "--ignore-eos",
    "--json",
  ];
  const result = await json(args);
  assertEquals(Object.keys(result), ["text", "tokens", "stop_reason", "timings"]);
  assertEquals([result.tokens.length, result.stop_reason], [8, "length"]);
  for (const key of ["prompt_n", "prompt_per_second", "predicted_n", "predicted_per_second"]) {
    assert(result.timings[key] > 0, key);
  }
  assertEquals(result.timings.predicted_n, 8);
});

Deno.test("zinc run reads its prompt from -p, a pipe, -p - and -f alike", async () => {
  const ends = ["-m", LLAMA, ...REFERENCE, "--raw", "--temp", "0", "-n", "4", "--json"];
  const expected = (await json(["run", "-p", "Hello", ...ends])).tokens;
  assertEquals((await json(["run", ...ends], "Hello")).tokens, expected);
  assertEquals((await json(["run", "-p", "-", ...ends], "Hello")).tokens, expected);
  assertEquals((await json(["run", "-f", "-", ...ends], "\ufeffHello")).tokens, expected);
});

Deno.test("zinc run gives the same text for the same seed", async () => {
  const args = [
    "run",
    "-m",
    LLAMA,
    ...REFERENCE,
    "--raw",
    "-p",
    "Hello",
    "--temp",
    "1",
    "--seed",
    "42",
    "-n",
    "8",
    "--json",
  ];
  assertEquals((await json(args)).tokens, (await json(args)).tokens);
});

Deno.test("zinc run writes the text alone to standard output", async () => {
  const { code, stdout, stderr } = await runZinc([
    "run",
    "-m",
    LLAMA,
    ...REFERENCE,
    "-p",
    "Hi",
    "--temp",
    "0",
    "-n",
    "3",
  ]);
  assertEquals(code, 0);
  assert(stdout.endsWith("\n") && !stdout.includes("\x1b"), JSON.stringify(stdout));
  assert(/^zinc: this model has no chat template, .*\n$/.test(stderr), stderr);
});

Deno.test("zinc chat answers what is piped in, and leaves at once when nothing is", async () => {
  const chat = ["chat", "-m", LLAMA, ...REFERENCE, "-n", "4"];
  const answered = await runZinc(chat, { stdin: "hi\n" });
  assertEquals(answered.code, 0);
  assert(/prompt \d+ tokens, .* generation [1-4] tokens/.test(answered.stderr), answered.stderr);
  assertEquals(await runZinc(chat, { stdin: "" }), { code: 0, stdout: "", stderr: "" });
});

Deno.test("zinc embed gives the golden vectors", async () => {
  const { prompts: [prompt], tolerance } = golden("bert_cls");
  const args = [
    "embed",
    "-m",
    "tests/golden/bert_cls.gguf",
    ...REFERENCE,
    "--tokens",
    prompt.tokens.join(","),
    "--no-normalize",
    "--json",
  ];
  const { object, data } = await json(args);
  assertEquals([object, data.length, data[0].index, data[0].tokens], ["list", 1, 0, prompt.tokens]);
  assert(maxAbsDifference(data[0].embedding, prompt.embedding) <= tolerance);
  const mean = (await json([...args, "--pooling", "mean"])).data[0].embedding;
  assert(maxAbsDifference(mean, prompt.embedding_mean) <= tolerance);
});

Deno.test("zinc embed normalises by default and compares several texts", async () => {
  const embed = ["embed", "-m", "tests/golden/bert_mean.gguf", ...REFERENCE];
  const { data } = await json([...embed, "one text", "another", "--json"]);
  for (const { embedding } of data) {
    assert(Math.abs(Math.hypot(...embedding) - 1) < 1e-5);
  }
  const { stdout } = await runZinc([...embed, "one text", "one text"]);
  assertEquals(stdout, "                1      2\n1 one text  1.000  1.000\n2 one text  1.000  1.000\n");
});

Deno.test("zinc families lists every architecture that a golden model has", async () => {
  const rows = await json(["families", "--json"]);
  const known = new Set(rows.flatMap((row: { architectures: string[] }) => row.architectures));
  for (const name of ["llama2", "gpt2", "mamba", "qwen35moe", "bert_cls", "t5"]) {
    assert(known.has(golden(name).architecture), name);
  }
});

const REFUSALS: [args: string[], code: number, message: RegExp][] = [
  [["logits", "-m", LLAMA], 2, /Give either --tokens or -p/],
  [["logits", "-m", LLAMA, "--tokens", "1,2", "-p", "x"], 2, /Give either --tokens or -p/],
  [
    ["logits", "-m", LLAMA, ...REFERENCE, "--tokens", "1,999999"],
    1,
    /token 999999: the vocabulary has ids 0 to 319/,
  ],
  [
    ["logits", "-m", LLAMA, ...REFERENCE, "--tokens", "1,2", "--decoder-tokens", "0"],
    2,
    /--decoder-tokens is for encoder-decoder models/,
  ],
  [
    ["logits", "-m", LLAMA, ...REFERENCE, "-c", "4", "--tokens", "1,2,3,4,5"],
    1,
    /5 tokens do not fit the context of 4/,
  ],
  [
    ["run", "-m", LLAMA, ...REFERENCE, "-p", "x", "--temp", "-1"],
    2,
    /--temp must be a number from 0 to 100, got -1/,
  ],
  [["run", "-m", LLAMA, ...REFERENCE, "-p", "x", "--top-k", "1.5"], 2, /--top-k must be a whole number/],
  [["run", "-m", LLAMA, "-p", "x", "--executor", "cuda"], 2, /Allowed choices are vulkan, reference/],
  [["run", "-m", LLAMA, "-p", ""], 2, /The prompt is empty/],
  [["run", "-m", LLAMA, "-p", "x", "--raw", "-s", "y"], 2, /--system has no place in a --raw prompt/],
  [["run", "-m", "tests/golden/bert_cls.gguf", ...REFERENCE, "-p", "x"], 1, /is an encoder, use zinc embed/],
  [
    ["run", "-m", "tests/golden/quants.gguf", ...REFERENCE, "-p", "x"],
    1,
    /architecture "quants" is not supported \(supported: /,
  ],
  [["run", "-m", LLAMA, "-p", "x", "-c", "100000000"], 1, /it needs .* free; try -c \d+/],
  [["run", "-m", LLAMA, "-p", "x", "--device", "nonsense"], 2, /Cannot find device "nonsense": there is 0: /],
  [["run", "-m", LLAMA, "-p", "x", "--device", "0,1"], 2, /zinc runs on one device/],
  [
    ["embed", "-m", "tests/golden/bert_cls.gguf", ...REFERENCE, "--pooling", "max", "x"],
    2,
    /Allowed choices are mean, cls, last/,
  ],
];

for (const [args, code, message] of REFUSALS) {
  Deno.test(`zinc ${args.join(" ")} is refused with ${code}`, async () => {
    const outcome = await runZinc(args);
    assertEquals([outcome.code, outcome.stdout], [code, ""], outcome.stderr);
    const lines = outcome.stderr.trimEnd().split("\n").filter((line) => !line.includes("no GPU found"));
    assert(lines.length === 1 && lines[0].startsWith("zinc: ") && message.test(lines[0]), outcome.stderr);
  });
}
