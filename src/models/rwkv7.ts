/**
 * RWKV-7 (https://arxiv.org/abs/2503.14456): no attention and no positions. Each block mixes over time by a generalised delta rule
 * and over channels by a squared-ReLU block, both on blends of each token with the one before it. From the second layer on, values
 * are drawn towards the first layer's.
 */
import { UserError } from "../common/errors.ts";
import { blend, tokenShift, wkv7 } from "../graph/recurrent_nodes.ts";
import type { MatmulOptions } from "../graph/builder.ts";
import type { Value } from "../kernels/operation.ts";
import type { Family } from "./family.ts";
import type { ModelBuilder } from "./model_builder.ts";
import { embedTokens, outputHead } from "./parts/head.ts";
import { norm } from "./parts/norm.ts";

const NORM = { kind: "layer", bias: true } as const;
/** Upper bound of the ranks of the small two-step projections. */
const MAX_RANK = 1 << 16;

/** What a layer's tensors and products are called. */
function layerOf(m: ModelBuilder, layer: number, prefix: string) {
  const { graph, tensors } = m;
  const name = (part: string) => `blk.${layer}.${prefix}_${part}.weight`;
  return {
    vector: (part: string, width: number) => tensors.vector(name(part), width),
    parameters: (part: string, rows: number) => tensors.parameters(name(part), rows, m.config.hidden),
    product: (x: Value, part: string, rows: number, options: MatmulOptions = {}) =>
      graph.matmul(x, tensors.matrix(name(part), rows, x.width), options),
  };
}

/** Mixing over time; `firstValues` are those of the first layer, undefined in it. Returns the layer's own values too. */
function timeMix(
  m: ModelBuilder,
  layer: number,
  hidden: Value,
  firstValues: Value | undefined,
): { output: Value; values: Value } {
  const { config: { architecture, hidden: width, keys }, graph, states } = m;
  const { vector, parameters, product } = layerOf(m, layer, "time_mix");
  const headDim = keys.integer("wkv.head_size", { min: 1, max: width });
  if (width % headDim !== 0) {
    throw new UserError(
      `Cannot use key "${architecture}.wkv.head_size": a width of ${width} does not divide into heads of ${headDim}`,
    );
  }
  const rank = (key: string) => keys.integer(`attention.${key}_lora_rank`, { min: 1, max: MAX_RANK });
  /** `W_2 inner(W_1 x)`, finished with a bias and an activation. */
  const twoStep = (x: Value, letter: string, key: string, inner: MatmulOptions, finish: MatmulOptions) =>
    product(product(x, `${letter}1`, rank(key), inner), `${letter}2`, width, finish);
  const biased = (letter: string) => ({ bias: vector(`${letter}0`, width) });

  const normed = norm(m, hidden, `blk.${layer}.attn_norm`, NORM);
  const shift = states.recurrent(`blk.${layer}.time_shift`, width);
  const [forR, forDecay, forK, forV, forA, forGate] = tokenShift(
    graph,
    normed,
    parameters("lerp_fused", 6),
    shift,
  );
  const own = product(forV, "value", width);
  const v = firstValues === undefined ? own : blend(
    graph,
    own,
    firstValues,
    twoStep(forV, "v", "value_residual_mix", {}, { ...biased("v"), activation: "sigmoid" }),
  );
  const mixed = wkv7(graph, {
    r: product(forR, "receptance", width),
    decay: twoStep(forDecay, "w", "decay", { activation: "tanh" }, biased("w")),
    k: product(forK, "key", width),
    v,
    a: twoStep(forA, "a", "iclr", {}, { ...biased("a"), activation: "sigmoid" }),
    gate: twoStep(forGate, "g", "gate", { activation: "sigmoid" }, {}),
  }, {
    headDim,
    removalScale: vector("k_k", width),
    learningScale: vector("k_a", width),
    bonus: vector("r_k", width),
    normWeight: vector("ln", width),
    normBias: m.tensors.vector(`blk.${layer}.time_mix_ln.bias`, width),
    state: states.recurrent(`blk.${layer}.state`, width * headDim),
  });
  return { output: product(mixed, "output", width, { residual: hidden }), values: own };
}

function channelMix(m: ModelBuilder, layer: number, hidden: Value): Value {
  const { config: { hidden: width, feedForward }, graph, states } = m;
  const { parameters, product } = layerOf(m, layer, "channel_mix");
  const normed = norm(m, hidden, `blk.${layer}.attn_norm_2`, NORM);
  const shift = states.recurrent(`blk.${layer}.channel_shift`, width);
  const [x] = tokenShift(graph, normed, parameters("lerp_k", 1), shift);
  const inner = product(x, "key", feedForward[layer], { activation: "relu_squared" });
  return product(inner, "value", width, { residual: hidden });
}

/** Attention-free, with a matrix of state per head. */
export const rwkv7: Family = {
  name: "RWKV-7",
  architectures: ["rwkv7"],
  kind: "decoder",
  summary: "generalised delta rule over time, token shift, squared-ReLU channel mix",
  traits: {
    norm: "layer, before; on the embeddings too",
    positions: "none",
    attention: "none: delta rule with a decay and a learning rate per channel",
    feedForward: "ReLU², on a blend with the token before",
    block: "sequential",
    biases: "norm",
    output: "own or tied",
    state: "recurrent",
  },
  forward(m) {
    let hidden = norm(m, embedTokens(m), "token_embd_norm", NORM);
    let firstValues: Value | undefined;
    for (let layer = 0; layer < m.config.layers; layer++) {
      const mixed = timeMix(m, layer, hidden, firstValues);
      firstValues ??= mixed.values;
      hidden = channelMix(m, layer, mixed.output);
    }
    return outputHead(m, hidden, { norm: NORM });
  },
};
