/**
 * ModernBERT (https://arxiv.org/abs/2412.13663): an encoder in the shape of today's decoders: norms first, rotary positions with two
 * bases, fused GeGLU, windows that reach to both sides in two of three layers. Some descendants have SwiGLU, as the file then says.
 */
import { UserError } from "../common/errors.ts";
import type { Activation } from "../kernels/activations.ts";
import type { Config } from "./config.ts";
import { encoderFamily } from "./parts/family.ts";

/** The file's name of the gate's activation, in the words of the original configuration. */
function activation({ architecture, keys }: Config): Activation {
  const name = keys.string("hidden_activation", "gelu");
  if (name === "gelu") return "gelu_erf";
  if (name === "silu") return "silu";
  throw new UserError(
    `Cannot use key "${architecture}.hidden_activation": "${name}" is not known (supported: gelu, silu)`,
  );
}

/** Pre-norm encoder with windows; its first block has no norm in front of attention. */
export const modernBert = encoderFamily({
  name: "ModernBERT",
  architectures: ["modern-bert"],
  summary: "norms first, two rotary bases, symmetric windows, fused GeGLU",
  spec: {
    norm: "layer",
    noFirstNorm: true,
    positions: {
      kind: "rope",
      pairing: "halves",
      windowed: { baseKey: "rope.freq_base_swa", base: 10000 },
    },
    windows: { period: 3, globalFirst: true },
    fusedQkv: true,
    embeddingNorm: true,
    feedForward: { kind: "gated", activation: "gelu_erf", fused: true },
  },
  refine: ({ config }) => ({
    feedForward: { kind: "gated", activation: activation(config), fused: true },
  }),
  traits: { feedForward: "GeGLU (erf), or SwiGLU" },
});
