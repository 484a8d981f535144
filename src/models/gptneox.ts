/**
 * GPT-NeoX (https://arxiv.org/abs/2204.06745) and Pythia (https://arxiv.org/abs/2304.01373): both halves of a block in parallel, each
 * through its own norm, unless the file says `use_parallel_residual = false`; partial rotary on halves.
 */
import { decoderFamily } from "./parts/family.ts";

/** Parallel residual with two norms. */
export const gptneox = decoderFamily({
  name: "GPT-NeoX, Pythia",
  architectures: ["gptneox"],
  summary: "parallel block with two norms, partial rotary",
  spec: {
    norm: "layer",
    block: "parallel, two norms",
    positions: { kind: "rope", pairing: "halves" },
    fusedQkv: true,
    feedForward: { kind: "plain", activation: "gelu_erf" },
    biases: ["norm", "qkv", "attention output", "feed-forward"],
    ownOutput: true,
  },
  refine: (m) => m.config.keys.boolean("use_parallel_residual", true) ? {} : { block: "sequential" },
  traits: { positions: "RoPE, halves, partial", block: "parallel, two norms; or sequential" },
});
