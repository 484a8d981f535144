/** Quantized golden models with products by integer dot products, which GPUs that have them use, forced on for any device. */
import { checkDecoder, type Executor, VULKAN } from "../support/golden.ts";
import { openVulkanEngine } from "../support/vulkan_executor.ts";

const DOTS: Executor = {
  ...VULKAN,
  name: "vulkan by integer dot products",
  open: (model, ubatch) => openVulkanEngine(model, ubatch, { kernels: { strategy: "teams", dots: "all" } }),
  // Larger batches have other kernels.
  chunkSizes: [1, 7],
};

const CASES = [
  "llama_q8_0",
  "llama_q6_k",
  "llama_q4_k_m",
  "gpt_oss_mxfp4",
  "qwen35moe",
  "deepseek2_v3",
];

for (const name of CASES) {
  Deno.test(`integer dot products meet the logits of ${name}, which are for float32 activations`, () =>
    checkDecoder(name, DOTS));
}
