/** OLMoE (https://arxiv.org/abs/2409.02060): many small experts whose weights are the softmax as it is; q/k norm over whole projections. */
import { mixture } from "./parts/experts.ts";
import { decoderFamily } from "./parts/family.ts";

/** Routed experts, q/k norm over whole rows. */
export const olmoe = decoderFamily({
  name: "OLMoE",
  architectures: ["olmoe"],
  summary: "routed experts, q/k norm over the whole projection",
  spec: {
    positions: { kind: "rope", pairing: "halves" },
    qkNorm: { kind: "rms", over: "row" },
    feedForward: {
      trait: "SwiGLU experts, softmax router",
      build: (m, layer, x, finish) =>
        mixture(m, layer, x, { activation: "silu", router: { scoring: "softmax" } }, finish),
    },
  },
});
