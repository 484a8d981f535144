/**
 * Apertus (Swiss AI, https://arxiv.org/abs/2509.14233): a plain feed-forward block with the trained activation xIELU
 * (https://arxiv.org/abs/2411.13010), whose parameters are metadata, and norms on the heads of queries and keys.
 */
import { UserError } from "../common/errors.ts";
import type { MapFunction } from "../kernels/map.ts";
import type { ModelBuilder } from "./model_builder.ts";
import { decoderFamily } from "./parts/family.ts";

/** RMS norm, q/k norm, xIELU without a gate. */
export const apertus = decoderFamily({
  name: "Apertus",
  architectures: ["apertus"],
  summary: "xIELU without a gate, q/k norm",
  spec: {
    positions: { kind: "rope", pairing: "halves" },
    qkNorm: { kind: "rms", over: "head" },
    feedForward: {
      kind: "plain",
      activation: { trait: "xIELU", apply: (m, layer, x) => m.graph.map(x, xielu(m, layer)) },
    },
    ownOutput: true,
  },
});

/** The file keeps both slopes as trained, before the softplus that makes them positive. */
function xielu(m: ModelBuilder, layer: number): MapFunction {
  const beta = perLayer(m, "xielu.beta", layer);
  return {
    kind: "xielu",
    positive: softplus(perLayer(m, "xielu.alpha_p", layer)),
    negative: beta + softplus(perLayer(m, "xielu.alpha_n", layer)),
    beta,
    epsilon: perLayer(m, "xielu.eps", layer),
  };
}

/** These keys stand without the architecture's name: one number, or one per layer. */
function perLayer(m: ModelBuilder, key: string, layer: number): number {
  const { metadata } = m.config.keys;
  if (!metadata.isArray(key)) return metadata.number(key);
  const values = metadata.numbers(key);
  if (layer >= values.length || !Number.isFinite(values[layer])) {
    throw new UserError(
      `Cannot use key "${key}": it needs a finite number for each of ${m.config.layers} layers`,
    );
  }
  return values[layer];
}

function softplus(x: number): number {
  return x > 20 ? x : Math.log1p(Math.exp(x));
}
