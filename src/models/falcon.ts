/**
 * Falcon (https://arxiv.org/abs/2311.16867): attention and feed-forward block in parallel, few key heads. The 7B has one norm for
 * both halves; the 40B and 180B have two, of which the file calls attention's `attn_norm_2`.
 */
import { decoderFamily } from "./parts/family.ts";

/** Parallel blocks, multi-query or grouped heads. */
export const falcon = decoderFamily({
  name: "Falcon",
  architectures: ["falcon"],
  summary: "parallel block, multi-query attention",
  spec: {
    norm: "layer",
    block: "parallel",
    positions: { kind: "rope", pairing: "halves" },
    fusedQkv: true,
    feedForward: { kind: "plain", activation: "gelu_erf" },
    biases: ["norm"],
  },
  refine: (m) =>
    m.tensors.has("blk.0.attn_norm_2.weight")
      ? { block: "parallel, two norms", normNames: { attention: "attn_norm_2", feedForward: "attn_norm" } }
      : {},
  traits: { block: "parallel, one norm or two" },
});
