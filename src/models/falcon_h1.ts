/**
 * Falcon-H1 (https://arxiv.org/abs/2507.22448): attention heads and a Mamba-2 mixer side by side in every layer, on the same input.
 * Its many multipliers are folded into the weights of GGUF files.
 */
import { attention } from "./parts/attention.ts";
import { decoderFamily } from "./parts/family.ts";
import { ropeTable } from "./parts/rope.ts";
import { mamba2 } from "./parts/state_space.ts";

/** Attention plus Mamba-2 in each layer. */
export const falconH1 = decoderFamily({
  name: "Falcon-H1",
  architectures: ["falcon-h1"],
  summary: "attention and Mamba-2 side by side in every layer",
  spec: {
    positions: { kind: "rope", pairing: "halves" },
    attention: {
      trait: "causal, Mamba-2 beside it",
      build: (m, layer, x, finish) => {
        const rope = { ...ropeTable(m), pairing: "halves" } as const;
        return mamba2(m, layer, x, { ...finish, residual: attention(m, layer, x, { rope }, finish) });
      },
    },
    feedForward: { kind: "gated", activation: "silu" },
  },
  traits: { state: "KV cache and recurrent", biases: "convolution, step sizes" },
});
