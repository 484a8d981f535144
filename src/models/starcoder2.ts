/** StarCoder2 (https://arxiv.org/abs/2402.19173): rotary positions, grouped heads, layer norms, biases everywhere, a plain GELU block. */
import { decoderFamily } from "./parts/family.ts";

/** GPT-style blocks with rotary positions. */
export const starcoder2 = decoderFamily({
  name: "StarCoder2",
  architectures: ["starcoder2"],
  summary: "rotary positions with layer norms, biases and a plain GELU block",
  spec: {
    norm: "layer",
    positions: { kind: "rope", pairing: "halves" },
    windows: { period: 0 },
    feedForward: { kind: "plain", activation: "gelu" },
    biases: ["norm", "qkv", "attention output", "feed-forward"],
  },
});
