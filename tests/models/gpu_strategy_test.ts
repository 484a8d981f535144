/**
 * The kernels that GPUs run, on whatever device there is: golden models with work shared by teams of lanes, also where the device is a
 * CPU and would rather give each lane rows of its own.
 */
import { checkCase, type Executor, VULKAN } from "../support/golden.ts";
import { openVulkanEngine } from "../support/vulkan_executor.ts";

const TEAMS: Executor = {
  ...VULKAN,
  open: (model, ubatch) => openVulkanEngine(model, ubatch, { kernels: { strategy: "teams" } }),
  chunkSizes: [7, 64],
};

/** One of each kind of layer. */
const CASES = [
  "llama_q4_k_m",
  "llama_q8_0",
  "gemma3",
  "bloom",
  "qwen3moe",
  "gpt_oss_mxfp4",
  "deepseek2_v2",
  "qwen35moe",
  "mamba",
  "mamba2",
  "rwkv7",
  "lfm2",
  "modern_bert",
  "t5",
];

for (const name of CASES) {
  Deno.test(`${name} says the same on the kernels of GPUs`, () => checkCase(name, TEAMS));
}
