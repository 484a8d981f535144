/** SmolLM3 (https://huggingface.co/blog/smollm3): LLaMA without positions in every fourth layer (https://arxiv.org/abs/2501.18795). */
import { decoderFamily } from "./parts/family.ts";

/** Positions in three of four layers. */
export const smollm3 = decoderFamily({
  name: "SmolLM3",
  architectures: ["smollm3"],
  summary: "no positions in every 4th layer",
  spec: {
    positions: { kind: "rope", pairing: "adjacent", layers: { allButEvery: 4 } },
    feedForward: { kind: "gated", activation: "silu" },
  },
});
