/** Fusions change how often the device is asked, never what it answers: golden models without any of them. With them they run in all other tests. */
import { FUSIONS } from "../../src/graph/fuse.ts";
import { checkCase, type Executor, VULKAN } from "../support/golden.ts";
import { openVulkanEngine } from "../support/vulkan_executor.ts";

const UNFUSED: Executor = {
  ...VULKAN,
  open: (model, ubatch) =>
    openVulkanEngine(model, ubatch, { disabledFusions: new Set(FUSIONS.map(({ name }) => name)) }),
  chunkSizes: [7],
};

/** One of each kind of block. */
const CASES = [
  "llama2",
  "llama_q4_k_m",
  "gemma2",
  "gpt2",
  "phi2",
  "qwen3",
  "olmo2",
  "mixtral",
  "gpt_oss_mxfp4",
  "deepseek2_v2",
  "qwen35moe",
  "mamba2",
  "lfm2",
  "rwkv7",
  "bert_mean",
  "t5",
];

for (const name of CASES) {
  Deno.test(`${name} says the same without fusions`, () => checkCase(name, UNFUSED));
}
