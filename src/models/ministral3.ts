/**
 * Ministral 3 (https://huggingface.co/mistralai/Ministral-3-8B-Instruct-2512): LLaMA with YaRN, and scores that grow with the logarithm of
 * the query's position beyond the original context, as in Llama 4.
 */
import { decoderFamily } from "./parts/family.ts";

/** LLaMA with a position-dependent temperature. */
export const ministral3 = decoderFamily({
  name: "Ministral 3",
  architectures: ["mistral3"],
  summary: "YaRN, attention temperature by position",
  spec: {
    positions: { kind: "rope", pairing: "adjacent" },
    feedForward: { kind: "gated", activation: "silu" },
    attentionExtras: ({ config: { keys, contextLength } }) => {
      const scale = keys.nonNegative("attention.temperature_scale", 0);
      const interval = keys.positive("rope.scaling.original_context_length", contextLength);
      return scale > 0 ? { temperature: { scale, interval, offset: 0 } } : {};
    },
  },
  traits: { attention: "causal, temperature by position" },
});
