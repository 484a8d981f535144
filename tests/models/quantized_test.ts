/**
 * Weights in every kind of format, in every place where a family has them: the device computes with exactly the numbers that the plain
 * decoders give, so both executors agree to the rounding of float32.
 */
import type { Engine } from "../../src/inference/engine.ts";
import type { TensorInfo } from "../../src/gguf/mod.ts";
import { type OpenModel, openModel } from "../../src/models/open_model.ts";
import { type FormatName, FORMATS } from "../../src/quant/formats.ts";
import { describeModel, type SynthOptions, writeModel } from "../../tools/synth/model.ts";
import { SHAPES } from "../../tools/synth/shapes.ts";
import { alterGguf } from "../support/altered_gguf.ts";
import { assert, assertAllNear } from "../support/assert.ts";
import { CONTEXT, FLOAT32_CACHE, goldenCase, goldenModel, logitsOf, REFERENCE } from "../support/golden.ts";
import { TempDirectory } from "../support/temp.ts";
import { openVulkanEngine } from "../support/vulkan_executor.ts";

/** Of the largest result. Recurrent layers and routers with close races come within a third of it. */
const TOLERANCE = 1e-4;

interface Prompt {
  readonly tokens: readonly number[];
  readonly decoder_tokens?: readonly number[];
}

/** Logits at all positions, or hidden states for an encoder. */
async function resultsOf(model: OpenModel, engine: Engine, prompt: Prompt): Promise<Float32Array[]> {
  const { tokens, decoder_tokens: decoderTokens } = prompt;
  if (decoderTokens) await engine.encode!(Int32Array.from(tokens));
  else if (model.family.kind === "decoder") return await logitsOf(engine, tokens);
  const fed = Int32Array.from(decoderTokens ?? tokens);
  return [await engine.forward({ tokens: fed, position: 0 }, fed.length)];
}

async function checkAgreement(path: string, prompt: Prompt, chunkSizes: readonly number[]): Promise<void> {
  using model = openModel(path, CONTEXT);
  using reference = await REFERENCE.open(model, CONTEXT);
  const expected = await resultsOf(model, reference, prompt);
  const largest = Math.max(...expected.map((row) => row.reduce((most, x) => Math.max(most, Math.abs(x)), 0)));
  for (const ubatch of chunkSizes) {
    using engine = await openVulkanEngine(model, ubatch, { cacheTypes: FLOAT32_CACHE });
    const actual = await resultsOf(model, engine, prompt);
    for (const [i, row] of actual.entries()) {
      assertAllNear(row, expected[i], TOLERANCE * largest, `row ${i}:`);
    }
  }
}

/** What quantizing programs leave in float32: vectors, routers, convolutions, and tables of positions and types. */
const KEPT = /_norm\.|conv|ffn_gate_inp|position_embd|token_types|lerp|attn_rel_b/;

function isMatrix({ name, dims }: TensorInfo): boolean {
  return dims.length >= 2 && name.endsWith(".weight") && !KEPT.test(name);
}

/** Golden models whose rows divide into blocks of 32. */
const MATRICES: readonly [title: string, golden: string, format: FormatName][] = [
  ["queries, keys and values in one matrix", "falcon7b", "q4_0"],
  ["biased products", "qwen2", "q4_1"],
  ["learned positions beside a quantized token table", "gpt2", "q5_1"],
  ["experts", "qwen3moe", "q5_0"],
  ["experts with biases", "gpt_oss", "q8_0"],
  ["experts in four bits of floating point", "mixtral", "mxfp4"],
  ["the compressed keys and values of latent attention", "deepseek2_v2", "q8_0"],
  ["delta nets and shared experts", "qwen35moe", "q4_0"],
  ["a selective scan", "mamba", "q5_1"],
  ["the low-rank steps of RWKV", "rwkv7", "q4_1"],
  ["embeddings per layer", "gemma4", "q8_0"],
  ["an encoder", "bert_mean", "q5_0"],
  ["an encoder and a decoder", "t5", "q4_0"],
];

for (const [title, golden, format] of MATRICES) {
  Deno.test(`vulkan equals the reference on ${title} in ${format} (${golden})`, async () => {
    using folder = new TempDirectory();
    const path = folder.join("quantized.gguf");
    const { blockLength } = FORMATS[format];
    let changed = 0;
    alterGguf(goldenModel(golden), path, {
      reformat: (info) =>
        isMatrix(info) && info.dims[0] % blockLength === 0 && ++changed ? format : undefined,
    });
    assert(changed >= 5, `${changed} tensors of ${golden} can be ${format}`);
    await checkAgreement(path, lastPrompt(golden), [7]);
  });
}

/** Every tensor, vectors too. */
const WHOLE_FILES: readonly [golden: string, format: FormatName][] = [
  ["gpt_oss", "f16"],
  ["qwen35", "bf16"],
  ["mamba2", "f16"],
  ["rwkv7", "bf16"],
  ["lfm2moe", "f16"],
  ["bert_cls", "bf16"],
  ["t5", "f16"],
];

for (const [golden, format] of WHOLE_FILES) {
  Deno.test(`vulkan equals the reference on a file of ${format} throughout, vectors too (${golden})`, async () => {
    using folder = new TempDirectory();
    const path = folder.join("half.gguf");
    alterGguf(goldenModel(golden), path, { reformat: () => format });
    await checkAgreement(path, lastPrompt(golden), [CONTEXT]);
  });
}

/** Blocks of 256 need wider rows than the golden models have. */
const WIDE: readonly [title: string, shape: string, options: SynthOptions][] = [
  ["delta nets, gates in Q4_K and experts' outputs in Q5_K", "qwen3.5-35b-a3b", { mix: "experts_q4_k_q5_k" }],
  ["delta nets and experts in Q6_K", "qwen3.5-35b-a3b", { mix: "q6_k", pure: true }],
  ["experts in MXFP4, the rest in Q8_0", "gpt-oss-20b", { mix: "mxfp4_moe" }],
  ["Q5_K and Q6_K mixed as by llama-quantize", "qwen3-0.6b", { mix: "q5_k_m" }],
];

for (const [title, name, options] of WIDE) {
  Deno.test(`vulkan equals the reference on ${title} (${name} in small)`, async () => {
    using folder = new TempDirectory();
    const path = folder.join("wide.gguf");
    writeModel(path, describeModel(inSmall(name), options));
    const tokens = Array.from({ length: 40 }, (_, i) => (i * 37 + 5) % 500);
    await checkAgreement(path, { tokens }, [1, 7]);
  });
}

/** The same model with four layers of 256. */
function inSmall(name: string): (typeof SHAPES)[number] {
  const shape = SHAPES.find((candidate) => candidate.name === name)!;
  const { experts, deltaNet, rotaryDim, feedForward } = shape;
  return {
    ...shape,
    layers: 4,
    hidden: 256,
    feedForward: feedForward && 512,
    heads: 4,
    kvHeads: 2,
    headDim: 64,
    rotaryDim: Math.min(64, rotaryDim),
    vocabulary: 500,
    experts: experts && { count: 8, used: 2, width: 256, sharedWidth: experts.sharedWidth && 256 },
    deltaNet: deltaNet && { ...deltaNet, keyHeads: 2, valueHeads: 4, headDim: 64 },
  };
}

function lastPrompt(golden: string): Prompt {
  return goldenCase<{ prompts: Prompt[] }>(golden).prompts.at(-1)!;
}
