/** Makes a family out of a transformer's knobs. */
import type { Family, Traits } from "../family.ts";
import type { ModelBuilder } from "../model_builder.ts";
import { learnedPositions } from "./head.ts";
import { transformerTraits } from "./traits.ts";
import { decoderLogits, encoderStates, type TransformerSpec } from "./transformer.ts";

/** A family's identity and its knobs. */
export interface TransformerFamily {
  readonly name: string;
  readonly architectures: readonly string[];
  readonly summary: string;
  readonly spec: TransformerSpec;
  /** Knobs that depend on the file: for families whose members differ. */
  readonly refine?: (m: ModelBuilder) => Partial<TransformerSpec>;
  /** Cells of the table of families that the knobs do not tell. */
  readonly traits?: Partial<Traits>;
}

/** A causal decoder. */
export function decoderFamily(definition: TransformerFamily): Family {
  return {
    ...describe(definition),
    kind: "decoder",
    forward: (m) => decoderLogits(m, specOf(definition, m)),
  };
}

/** A bidirectional encoder. */
export function encoderFamily(definition: TransformerFamily): Family {
  const bidirectional = { ...definition, spec: { ...definition.spec, bidirectional: true } };
  return {
    ...describe(bidirectional),
    kind: "encoder",
    forward: (m) => encoderStates(m, specOf(bidirectional, m)),
  };
}

function describe(
  { name, architectures, summary, spec, traits }: TransformerFamily,
): Omit<Family, "kind" | "forward"> {
  return {
    name,
    architectures,
    summary,
    traits: { ...transformerTraits(spec), ...traits },
    positionLimit: spec.positions.kind === "learned" ? learnedPositions : undefined,
  };
}

function specOf({ spec, refine }: TransformerFamily, m: ModelBuilder): TransformerSpec {
  return { ...spec, ...refine?.(m) };
}
