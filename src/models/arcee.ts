/** Arcee Foundation Models (https://huggingface.co/arcee-ai/AFM-4.5B): LLaMA with a squared-ReLU feed-forward block and YaRN. */
import { decoderFamily } from "./parts/family.ts";

/** LLaMA without gates. */
export const arcee = decoderFamily({
  name: "Arcee AFM",
  architectures: ["arcee"],
  summary: "squared ReLU without a gate",
  spec: {
    positions: { kind: "rope", pairing: "adjacent" },
    feedForward: { kind: "plain", activation: "relu_squared" },
  },
});
