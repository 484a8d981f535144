/** Norms with the tensors that GGUF files keep for them: `<name>.weight` and, for layer norms of most families, `<name>.bias`. */
import type { Value } from "../../kernels/operation.ts";
import type { ModelBuilder } from "../model_builder.ts";

/** The two norms of transformers. */
export interface NormSpec {
  readonly kind: "rms" | "layer";
  /** A missing bias is refused; otherwise one is used where the file has it. */
  readonly bias?: boolean;
}

/** Normalises rows of `x` with the tensors called `name`. */
export function norm(m: ModelBuilder, x: Value, name: string, spec: NormSpec): Value {
  // Falcon-H1's files leave out the suffix of one of them.
  const weight = m.tensors.has(name) ? name : `${name}.weight`;
  return m.graph.norm(x, {
    kind: spec.kind,
    weight: m.tensors.vector(weight, x.width),
    bias: m.tensors.bias(`${name}.bias`, x.width, spec.bias),
    epsilon: epsilon(m, spec.kind),
  });
}

/** The file's epsilon for a kind of norm. */
export function epsilon(m: ModelBuilder, kind: NormSpec["kind"]): number {
  return kind === "layer" ? m.config.layerNormEpsilon : m.config.normEpsilon;
}
