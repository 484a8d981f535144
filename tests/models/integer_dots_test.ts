/** Quantized golden models with products by integer dot products, which GPUs that have them use, forced on for any device. */
import { VulkanEngine } from "../../src/inference/vulkan_engine.ts";
import { KernelSet } from "../../src/kernels/kernel_set.ts";
import type { OpenModel } from "../../src/models/open_model.ts";
import { checkDecoder, type Executor, VULKAN } from "../support/golden.ts";
import { uploadWeights } from "../support/vulkan_executor.ts";

/** An engine as GPUs have it, which owns the weights of its model. */
class DotsEngine extends VulkanEngine {
  readonly #weights: Disposable;

  constructor(model: OpenModel, resources: Awaited<ReturnType<typeof uploadWeights>>, ubatch: number) {
    const kernels = new KernelSet(resources.device, { strategy: "teams", dots: "all" });
    super(model, { ...resources, kernels }, ubatch);
    this.#weights = resources;
  }

  override [Symbol.dispose](): void {
    super[Symbol.dispose]();
    this.#weights[Symbol.dispose]();
  }
}

const DOTS: Executor = {
  ...VULKAN,
  name: "vulkan by integer dot products",
  open: async (model, ubatch) => new DotsEngine(model, await uploadWeights(model), ubatch),
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
