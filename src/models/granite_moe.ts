/** Granite 3 MoE (https://huggingface.co/ibm-granite): Granite's multipliers around routed experts, in some models with a shared one. */
import { graniteMultipliers } from "./granite.ts";
import { mixture, sharedExpertWidth } from "./parts/experts.ts";
import { decoderFamily } from "./parts/family.ts";
import type { CustomBlock } from "./parts/transformer.ts";

/** Experts weighted by a softmax over the chosen ones, and a shared expert where the file gives it a width. */
export const graniteExperts: CustomBlock = {
  trait: "SwiGLU experts, softmax over the chosen; some: shared expert",
  build: (m, layer, x, finish) => {
    const shared = { activation: "silu", inner: sharedExpertWidth(m, layer) } as const;
    return mixture(
      m,
      layer,
      x,
      { activation: "silu", router: { scoring: "softmax_chosen" }, shared },
      finish,
    );
  },
};

/** Granite with routed experts. */
export const graniteMoe = decoderFamily({
  name: "Granite MoE",
  architectures: ["granitemoe"],
  summary: "Granite with routed experts",
  spec: {
    ...graniteMultipliers,
    positions: { kind: "rope", pairing: "adjacent" },
    feedForward: graniteExperts,
  },
});
