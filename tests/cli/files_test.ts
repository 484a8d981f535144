/** Commands that read a model file: what they print, and what they say of files that are none. */
import { assert, assertAllNear, assertEquals } from "../support/assert.ts";
import { TempDirectory } from "../support/temp.ts";
import { runZinc } from "./support/run_zinc.ts";

const LLAMA = "tests/golden/llama2.gguf";

Deno.test("zinc inspect --json gives metadata, tensors, end of generation and memory", async () => {
  const { code, stdout, stderr } = await runZinc(["inspect", LLAMA, "--json"]);
  assertEquals([code, stderr], [0, ""]);
  const { metadata, tensors, end_of_generation: ends, memory, problems } = JSON.parse(stdout);
  const { config } = JSON.parse(Deno.readTextFileSync("tests/golden/llama2.json"));
  assertEquals(metadata["llama.block_count"], config.num_hidden_layers);
  assertEquals(metadata["tokenizer.ggml.tokens"].length, config.vocab_size);
  assertEquals(tensors.find((tensor: { name: string }) => tensor.name === "token_embd.weight"), {
    name: "token_embd.weight",
    type: "f32",
    shape: [config.hidden_size, config.vocab_size],
    bytes: 4 * config.hidden_size * config.vocab_size,
    offset: tensors.find((tensor: { name: string }) => tensor.name === "token_embd.weight").offset,
  });
  assert(ends.some(({ piece }: { piece: string }) => piece === "</s>"), JSON.stringify(ends));
  assertEquals(memory.context, 512);
  assertEquals(problems, []);
});

Deno.test("zinc inspect --tensor --raw-f32 writes the decoded values", async () => {
  using folder = new TempDirectory();
  const { tensors } = JSON.parse(Deno.readTextFileSync("tests/golden/quants.json"));
  const all = new Float32Array(Deno.readFileSync("tests/golden/quants.f32").buffer);
  for (const name of ["Q4_0", "Q6_K"]) {
    const out = folder.join(name);
    const { code } = await runZinc([
      "inspect",
      "tests/golden/quants.gguf",
      "--tensor",
      name,
      "--raw-f32",
      out,
    ]);
    assertEquals(code, 0);
    const values = new Float32Array(Deno.readFileSync(out).buffer);
    const { f32_offset: offset, count } = tensors.find((entry: { tensor: string }) => entry.tensor === name);
    assertAllNear(values, all.subarray(offset / 4, offset / 4 + count), 1e-6, name);
  }
});

Deno.test("zinc inspect shows what it can of a model that zinc cannot run", async () => {
  const { code, stdout } = await runZinc(["inspect", "tests/golden/quants.gguf"]);
  assertEquals(code, 0);
  assert(/^Problem +Cannot /m.test(stdout), stdout);
  assert(/^Q4_K +q4_k +\[512, 8\]/m.test(stdout), stdout);
});

Deno.test("a tensor that is not there gets a suggestion", async () => {
  const { code, stderr } = await runZinc(["inspect", LLAMA, "--tensor", "token_embed.weight"]);
  assertEquals(code, 1);
  assertEquals(
    stderr,
    `zinc: Cannot find tensor "token_embed.weight" in "${LLAMA}"; did you mean "token_embd.weight"?\n`,
  );
});

Deno.test("files that are no models get one line each, exit code 1, and nothing is left behind", async () => {
  using folder = new TempDirectory();
  const complete = Deno.readFileSync(LLAMA);
  const files: [name: string, content: Uint8Array | string, reason: RegExp][] = [
    ["truncated.gguf", complete.subarray(0, 100_000), /incomplete/],
    ["text.gguf", "Once upon a time there was a text.\n", /not a GGUF file|is text|text/],
    ["empty.gguf", "", /empty/],
    ["page.gguf", "<!DOCTYPE html><html></html>", /web page/],
  ];
  for (const [name, content] of files) {
    Deno.writeFileSync(
      folder.join(name),
      typeof content === "string" ? new TextEncoder().encode(content) : content,
    );
  }
  const before = folder.names();
  for (const [name, , reason] of [...files, ["missing.gguf", "", /no such file/] as const]) {
    for (const command of [["inspect", folder.join(name)], ["tokenize", "-m", folder.join(name), "x"]]) {
      const { code, stdout, stderr } = await runZinc(command);
      assertEquals([code, stdout], [1, ""], name);
      assert(/^zinc: [^\n]+\n$/.test(stderr) && stderr.includes(name) && reason.test(stderr), stderr);
    }
  }
  assertEquals(folder.names(), before);
});

Deno.test("zinc list shows what is there on standard output, and what could be pulled on standard error", async () => {
  using folder = new TempDirectory();
  const env = { XDG_CACHE_HOME: folder.path };
  const { code, stdout, stderr } = await runZinc(["list"], { env });
  assertEquals([code, stdout], [0, ""]);
  assert(/^PULL ALSO KNOWS\nsmollm2-135m-instruct +small chat model, the default\n/.test(stderr), stderr);
  assertEquals(await runZinc(["list", "--json"], { env }), { code: 0, stdout: "[]\n", stderr: "" });
});

Deno.test("a model that nobody knows gets a suggestion", async () => {
  using folder = new TempDirectory();
  const { code, stderr } = await runZinc(["tokenize", "-m", "smollm2-135m-instrct", "x"], {
    env: { XDG_CACHE_HOME: folder.path },
  });
  assertEquals(code, 1);
  assertEquals(
    stderr,
    'zinc: Cannot find model "smollm2-135m-instrct": neither a file nor a known name; did you mean smollm2-135m-instruct?\n',
  );
});

Deno.test("zinc tokenize and detokenize agree with the golden samples", async () => {
  for (const name of ["llama2", "qwen2"]) {
    const model = `tests/golden/${name}.gguf`;
    const { tokenizer_samples: samples } = JSON.parse(Deno.readTextFileSync(`tests/golden/${name}.json`));
    for (const { text, ids } of samples.slice(0, 3)) {
      const { stdout } = await runZinc(["tokenize", "-m", model, "--json", "-"], { stdin: text });
      assertEquals(JSON.parse(stdout).tokens, ids, text);
    }
  }
});

Deno.test("zinc tokenize --jsonl answers line by line, control tokens as text with --no-special", async () => {
  const lines = ["Hello", "a </s> b", "", "日本 🦙"];
  const input = lines.map((line) => JSON.stringify(line)).join("\n");
  const run = (...flags: string[]) =>
    runZinc(["tokenize", "-m", LLAMA, "--jsonl", "-", ...flags], { stdin: input });
  const plain = (await run("--no-special")).stdout.trimEnd().split("\n").map((line) =>
    JSON.parse(line).tokens
  );
  const special = (await run()).stdout.trimEnd().split("\n").map((line) => JSON.parse(line).tokens);
  assertEquals([plain.length, special.length], [4, 4]);
  assert(!plain[1].includes(2) && special[1].includes(2), "2 is </s>");
  assert(special[0][0] === 1 && plain[0][0] !== 1, "1 is BOS");
  for (const [index, tokens] of plain.entries()) {
    if (tokens.length === 0) continue;
    const { stdout } = await runZinc(["detokenize", "-m", LLAMA, "--json", "--tokens", tokens.join(",")]);
    assertEquals(JSON.parse(stdout), { text: lines[index] });
  }
});

Deno.test("zinc tokenize --jsonl refuses a directory", async () => {
  const { code, stderr } = await runZinc(["tokenize", "-m", LLAMA, "--jsonl", "tests"]);
  assertEquals([code, stderr], [1, 'zinc: Cannot read "tests": it is a directory\n']);
});

Deno.test("zinc tokenize --jsonl names the line that is no JSON string", async () => {
  const { code, stderr } = await runZinc(["tokenize", "-m", LLAMA, "--jsonl", "-"], {
    stdin: '"fine"\n{"not":1}\n',
  });
  assertEquals([code, stderr], [
    1,
    'zinc: Cannot read line 2 of "-": expected a JSON string, found {"not":1}\n',
  ]);
});
