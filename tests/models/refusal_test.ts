import type { MetadataEntry } from "../../src/gguf/writer.ts";
import { openModel } from "../../src/models/open_model.ts";
import { FAMILIES } from "../../src/models/registry.ts";
import { type Alteration, alterGguf } from "../support/altered_gguf.ts";
import { assert, assertEquals, assertFails } from "../support/assert.ts";
import { goldenModel } from "../support/golden.ts";
import { TempDirectory } from "../support/temp.ts";

/** Opens a changed golden model, which must fail with exactly this message behind the path. */
async function refuses(golden: string, change: Alteration, message: string): Promise<void> {
  using folder = new TempDirectory();
  const path = folder.join("model.gguf");
  alterGguf(goldenModel(golden), path, change);
  const error = await assertFails(() => openModel(path), "Cannot load");
  assertEquals(error.name, "UserError");
  assertEquals(error.message, `Cannot load "${path}": ${message}`);
}

/** Opens a changed golden model without complaint. */
function accepts(golden: string, change: Alteration): void {
  using folder = new TempDirectory();
  const path = folder.join("model.gguf");
  alterGguf(goldenModel(golden), path, change);
  using _model = openModel(path);
}

const set = (...entries: MetadataEntry[]): Alteration => ({ set: entries });

Deno.test("openModel() names an unknown architecture and all that it knows", async () => {
  const supported = FAMILIES.flatMap((family) => family.architectures).sort().join(", ");
  await refuses(
    "llama2",
    set(["general.architecture", "string", "foo"]),
    `architecture "foo" is not supported (supported: ${supported})`,
  );
});

Deno.test("openModel() names the first missing tensor", async () => {
  await refuses("llama2", { drop: ["blk.1.ffn_up.weight"] }, 'tensor "blk.1.ffn_up.weight" is missing');
  await refuses("llama2", { drop: ["token_embd.weight"] }, 'tensor "token_embd.weight" is missing');
});

Deno.test("openModel() names a missing bias where the family always has it", async () => {
  await refuses("qwen2", { drop: ["blk.2.attn_v.bias"] }, 'tensor "blk.2.attn_v.bias" is missing');
  await refuses("gpt2", { drop: ["blk.0.ffn_down.bias"] }, 'tensor "blk.0.ffn_down.bias" is missing');
  await refuses("phi2", { drop: ["output.bias"] }, 'tensor "output.bias" is missing');
  await refuses("bloom", { drop: ["token_embd_norm.bias"] }, 'tensor "token_embd_norm.bias" is missing');
});

Deno.test("openModel() names the fused tensor where the family's files have that form", async () => {
  await refuses("falcon7b", { drop: ["blk.1.attn_qkv.weight"] }, 'tensor "blk.1.attn_qkv.weight" is missing');
});

Deno.test("openModel() refuses a family's own output matrix when it is missing", async () => {
  await refuses("gptneox", { drop: ["output.weight"] }, 'tensor "output.weight" is missing');
});

Deno.test("openModel() compares every shape with the keys", async () => {
  await refuses(
    "llama2",
    set(["llama.feed_forward_length", "u32", 111]),
    'cannot use tensor "blk.0.ffn_gate.weight": its shape is [64, 112], expected [64, 111]',
  );
  await refuses(
    "qwen3",
    set(["qwen3.attention.key_length", "u32", 16]),
    'cannot use tensor "blk.0.attn_q.weight": its shape is [64, 128], expected [64, 64]',
  );
});

Deno.test("openModel() tolerates tensors that it does not need", () => {
  const add = [
    { name: "blk.3.nextn.eh_proj.weight", dims: [128, 64], values: new Float32Array(128 * 64) },
    { name: "rope_freqs.weight", dims: [8], values: new Float32Array(8).fill(1) },
  ];
  accepts("llama2", { add });
});

for (
  const [key, min, max] of [
    ["block_count", 1, 1024],
    ["embedding_length", 1, 1048576],
    ["context_length", 1, 268435456],
    ["attention.key_length", 1, 16384],
    ["rope.dimension_count", 0, 16],
  ] as const
) {
  Deno.test(`openModel() refuses ${key} out of range, of another type, and (if needed) missing`, async () => {
    const full = `llama.${key}`;
    const outside = (value: number) =>
      `cannot use key "${full}": ${value} is not a whole number from ${min} to ${max}`;
    for (const value of [min - 1, max + 1].filter((value) => value >= 0)) {
      await refuses("llama2", set([full, "u64", value]), outside(value));
    }
    await refuses("llama2", set([full, "f32", 1.5]), outside(1.5));
    const text = set([full, "string", "12"]);
    await refuses("llama2", text, `cannot use key "${full}": it must be a number, but is of type string`);
    if (["block_count", "embedding_length", "context_length"].includes(key)) {
      await refuses("llama2", { unset: [full] }, `cannot use this model: its file has no key "${full}"`);
    }
  });
}

Deno.test("openModel() refuses layers that attend without heads", async () => {
  for (
    const change of [set(["llama.attention.head_count", "u32", 0]), { unset: ["llama.attention.head_count"] }]
  ) {
    await refuses(
      "llama2",
      change,
      'cannot use key "llama.attention.head_count": it is missing or 0 for layer 0',
    );
  }
  await refuses(
    "llama2",
    set(["llama.attention.head_count_kv", "u32", 0]),
    'cannot use key "llama.attention.head_count_kv": it is missing or 0 for layer 0',
  );
});

Deno.test("openModel() refuses query heads that do not divide into key heads", async () => {
  await refuses(
    "llama2",
    set(["llama.attention.head_count_kv", "u32", 3]),
    'cannot use key "llama.attention.head_count_kv": 4 heads do not divide into 3 groups',
  );
});

Deno.test("openModel() refuses a width that does not divide into RWKV heads", async () => {
  await refuses(
    "rwkv7",
    set(["rwkv7.wkv.head_size", "u32", 3]),
    'cannot use key "rwkv7.wkv.head_size": a width of 128 does not divide into heads of 3',
  );
});

Deno.test("openModel() refuses per-layer keys with too few values", async () => {
  await refuses(
    "llama2",
    set(["llama.attention.head_count_kv", "u32[]", [4, 4]]),
    'cannot use key "llama.attention.head_count_kv": 2 values for 3 layers',
  );
});

Deno.test("openModel() takes a key per layer where all say the same", () => {
  accepts("llama2", set(["llama.attention.head_count_kv", "u32[]", [4, 4, 4]]));
});

Deno.test("openModel() refuses rotary settings that cannot be", async () => {
  await refuses(
    "llama2",
    set(["llama.rope.dimension_count", "u32", 7]),
    'cannot rotate 7 elements of a head: "rope.dimension_count" must be even and above 0',
  );
  await refuses(
    "llama2",
    set(["llama.rope.freq_base", "f32", 0]),
    'cannot use key "llama.rope.freq_base": 0 is not above zero',
  );
  await refuses(
    "llama2",
    set(["llama.rope.scaling.type", "string", "dynamic"]),
    'cannot use rope scaling type "dynamic" (supported: none, linear, yarn, longrope)',
  );
});

Deno.test("openModel() refuses numbers of single families out of range", async () => {
  await refuses(
    "granite",
    set(["granite.logit_scale", "f32", 0]),
    'cannot use key "granite.logit_scale": 0 is not above zero',
  );
  await refuses(
    "gemma2",
    set(["gemma2.final_logit_softcapping", "f32", -1]),
    'cannot use key "gemma2.final_logit_softcapping": -1 is below zero',
  );
  await refuses(
    "command_r",
    { unset: ["command-r.logit_scale"] },
    'cannot use this model: its file has no key "command-r.logit_scale"',
  );
  await refuses(
    "apertus",
    set(["xielu.beta", "f32[]", [0.5]]),
    'cannot use key "xielu.beta": it needs a finite number for each of 2 layers',
  );
});

Deno.test("openModel() opens learned positions no further than their table", () => {
  using model = openModel(goldenModel("gpt2"), 512);
  assertEquals(model.contextLength, 128);
});

Deno.test("every architecture belongs to one family", () => {
  const all = FAMILIES.flatMap((family) => family.architectures);
  assertEquals(all.length, new Set(all).size);
  assert(FAMILIES.every((family) => family.kind === "encoder-decoder" === (family.encode !== undefined)));
});
