/** `--cache-type-k` and `--cache-type-v`, on every command that has them. */
import { assert, assertEquals } from "../support/assert.ts";
import { goldenModel } from "../support/golden.ts";
import { runZinc } from "./support/run_zinc.ts";

/** Two layers with two key heads of 64 elements. */
const MODEL = goldenModel("llama_q4_k_m");
const WIDTH = 2 * 64;
const LAYERS = 2;

async function json(...args: string[]) {
  const { code, stdout, stderr } = await runZinc(args);
  assertEquals(code, 0, stderr);
  return JSON.parse(stdout);
}

Deno.test("zinc inspect counts the cache as it would be stored", async () => {
  const cacheBytes = async (...flags: string[]) =>
    (await json("inspect", MODEL, "--json", "-c", "100", ...flags)).memory.kv_cache_bytes;
  const rows = 100 * LAYERS;
  assertEquals(await cacheBytes(), rows * 2 * WIDTH * 2);
  assertEquals(await cacheBytes("-ctk", "f32"), rows * WIDTH * (4 + 2));
  // 128 bytes and four scales of 2 bytes, padded to 144.
  assertEquals(await cacheBytes("--cache-type-k", "q8_0", "--cache-type-v", "q8_0"), rows * 2 * 144);
});

Deno.test("zinc inspect counts the latent cache of DeepSeek as float32 whatever the flags say", async () => {
  const file = goldenModel("deepseek2_lite");
  const { memory } = await json("inspect", file, "--json", "-c", "10", "-ctk", "f16", "-ctv", "f16");
  const { metadata } = await json("inspect", file, "--json");
  const width = metadata["deepseek2.attention.kv_lora_rank"] + metadata["deepseek2.rope.dimension_count"];
  assertEquals(memory.kv_cache_bytes, 10 * metadata["deepseek2.block_count"] * width * 4);
});

Deno.test("zinc bench reports the cache types and counts their bytes", async () => {
  const run = async (...flags: string[]) => {
    const args = ["-m", MODEL, "-p", "0", "-n", "1", "-d", "99", "-r", "1", "-o", "json", "--no-warmup"];
    const [row] = await json("bench", ...args, ...flags);
    return row;
  };
  const usual = await run();
  assertEquals([usual.type_k, usual.type_v], ["f16", "f16"]);
  const small = await run("-ctk", "q8_0", "-ctv", "q8_0");
  assertEquals([small.type_k, small.type_v], ["q8_0", "q8_0"]);
  assertEquals(usual.bytes_per_token - small.bytes_per_token, 100 * LAYERS * 2 * (2 * WIDTH - 144));
  const exact = await run("--executor", "reference", "-ctv", "f16");
  assertEquals([exact.type_k, exact.type_v], ["f32", "f16"]);
});

Deno.test("a type whose blocks do not divide the heads is refused before the model is loaded", async () => {
  const file = goldenModel("llama_q8_0");
  for (const [flag, command] of [["k", "run"], ["v", "logits"], ["k", "bench"]]) {
    const text = command === "logits" ? ["--tokens", "1,2"] : ["-p", command === "run" ? "text" : "3"];
    const args = [command, "-m", file, ...text, `--cache-type-${flag}`, "q8_0"];
    const { code, stdout, stderr } = await runZinc(args);
    assertEquals([code, command === "bench" ? "" : stdout], [1, ""]);
    const expected =
      `zinc: Cannot use --cache-type-${flag} q8_0 with "${file}": its heads have 16 elements, ` +
      "which blocks of 32 do not divide; use f16 or f32\n";
    assert(stderr.includes(expected), stderr);
  }
});

Deno.test("a type that the model has no use for is said to change nothing", async () => {
  for (const [name, flags] of [["mamba", ["-ctk", "q8_0"]], ["deepseek2_v2", ["-ctv", "f16"]]] as const) {
    const { code, stderr } = await runZinc(
      ["logits", "-m", goldenModel(name), "--tokens", "1,2", "--json", ...flags],
    );
    assertEquals(code, 0, stderr);
    const flag = flags[0] === "-ctk" ? "--cache-type-k q8_0" : "--cache-type-v f16";
    assert(stderr.includes(`${flag} changes nothing: what this model keeps is float32 always`), stderr);
  }
});

Deno.test("every command that runs a model takes the flags", async () => {
  for (const command of ["chat", "run", "logits", "embed", "bench", "inspect"]) {
    const { stdout } = await runZinc([command, "--help"]);
    assert(/--cache-type-k <type>/.test(stdout) && /--cache-type-v <type>/.test(stdout), command);
  }
});
