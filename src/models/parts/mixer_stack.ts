/**
 * Stacks of blocks with one part each, `x + mixer(norm(x))`, where transformers have two: Mamba and its descendants.
 */
import type { Value } from "../../kernels/operation.ts";
import type { Family, Traits } from "../family.ts";
import type { ModelBuilder } from "../model_builder.ts";
import type { Finish } from "./attention.ts";
import { embedTokens, outputHead } from "./head.ts";
import { norm } from "./norm.ts";

/** A family's identity and what its blocks compute. */
export interface MixerFamily {
  readonly name: string;
  readonly architectures: readonly string[];
  readonly summary: string;
  readonly traits: Pick<Traits, "attention" | "feedForward" | "state"> & Partial<Traits>;
  /** The part of layer `layer` over its normed input; `finish` carries the residual. */
  mixer(m: ModelBuilder, layer: number, x: Value, finish: Finish): Value;
}

/** A causal decoder of such blocks, with RMS norms and the token table as output matrix where the file has no other. */
export function mixerFamily({ name, architectures, summary, traits, mixer }: MixerFamily): Family {
  return {
    name,
    architectures,
    kind: "decoder",
    summary,
    traits: {
      norm: "RMS, before",
      positions: "none",
      block: "one part per block",
      biases: "none",
      output: "own or tied",
      ...traits,
    },
    forward(m) {
      let hidden = embedTokens(m);
      for (let layer = 0; layer < m.config.layers; layer++) {
        const normed = norm(m, hidden, `blk.${layer}.attn_norm`, { kind: "rms" });
        hidden = mixer(m, layer, normed, { residual: hidden });
      }
      return outputHead(m, hidden);
    },
  };
}
