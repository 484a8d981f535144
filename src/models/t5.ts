/**
 * T5 and Flan-T5 (https://arxiv.org/abs/1910.10683, https://arxiv.org/abs/2210.11416): an encoder reads the source text, a decoder attends to
 * itself and to the encoder's states. Learned biases per distance instead of positions, unscaled scores, RMS norms, no biases; a
 * gated GELU block since version 1.1, a plain ReLU block before.
 */
import type { AttentionOptions } from "../graph/builder.ts";
import type { StateSlot, Value } from "../kernels/operation.ts";
import type { Config } from "./config.ts";
import type { Family } from "./family.ts";
import type { ModelBuilder } from "./model_builder.ts";
import { headShape } from "./parts/attention.ts";
import { embedTokens, outputHead } from "./parts/head.ts";
import { norm } from "./parts/norm.ts";
import { relativeBias } from "./parts/relative_bias.ts";

const RMS = { kind: "rms" } as const;

/** The encoder-decoder. */
export const t5: Family = {
  name: "T5, Flan-T5",
  architectures: ["t5"],
  kind: "encoder-decoder",
  summary: "encoder and decoder, relative position biases, unscaled scores",
  traits: {
    norm: "RMS, before",
    positions: "relative biases",
    attention: "bidirectional; causal and cross attention",
    feedForward: "GeGLU, or ReLU in the first version",
    block: "sequential",
    biases: "none",
    output: "own or tied",
    state: "KV cache, encoder keys and values",
  },

  encode(m) {
    const { config, graph } = m;
    const options = { causal: false, relativeBias: biasOf(m, "enc", true) };
    let hidden = embedTokens(m);
    for (let layer = 0; layer < config.layers; layer++) {
      const name = `enc.blk.${layer}`;
      const cache = cacheOf(m, "enc.self");
      hidden = selfAttention(m, name, hidden, cache, options);
      hidden = feedForward(m, name, hidden);
    }
    const states = norm(m, hidden, "enc.output_norm", RMS);
    for (let layer = 0; layer < decoderLayers(config); layer++) {
      const name = `dec.blk.${layer}`;
      const cross = cacheOf(m, `${name}.cross`);
      graph.storeKv(
        project(m, `${name}.cross_attn_k`, states),
        project(m, `${name}.cross_attn_v`, states),
        ...cross,
      );
    }
    return states;
  },

  forward(m) {
    const options = { relativeBias: biasOf(m, "dec", false) };
    let hidden = embedTokens(m);
    for (let layer = 0; layer < decoderLayers(m.config); layer++) {
      const name = `dec.blk.${layer}`;
      hidden = selfAttention(m, name, hidden, cacheOf(m, name), options);
      hidden = crossAttention(m, name, hidden);
      hidden = feedForward(m, name, hidden);
    }
    return outputHead(m, hidden, { normName: "dec.output_norm" });
  },

  // Where the file does not say, padding: id 0 in every vocabulary of T5.
  decoderStart: (config) =>
    config.keys.integer("decoder_start_token_id", { min: 0, max: config.vocab - 1 }, 0),
};

/** Layers of the decoder; those of the encoder are `block_count`. */
function decoderLayers(config: Config): number {
  return config.keys.integer("decoder_block_count", { min: 1, max: 1024 }, config.layers);
}

/** The first block's table serves all blocks of its side. */
function biasOf(m: ModelBuilder, side: "enc" | "dec", bidirectional: boolean) {
  return relativeBias(m, `${side}.blk.0.attn_rel_b.weight`, { heads: m.config.heads[0], bidirectional });
}

type Cache = readonly [keys: StateSlot, values: StateSlot];

function cacheOf(m: ModelBuilder, name: string): Cache {
  const { kvHeads, headDim, valueDim } = headShape(m.config, 0);
  return [
    m.states.kv(`${name}.keys`, kvHeads * headDim, "keys"),
    m.states.kv(`${name}.values`, kvHeads * valueDim, "values"),
  ];
}

function selfAttention(
  m: ModelBuilder,
  name: string,
  hidden: Value,
  cache: Cache,
  options: Partial<AttentionOptions>,
): Value {
  const x = norm(m, hidden, `${name}.attn_norm`, RMS);
  m.graph.storeKv(project(m, `${name}.attn_k`, x), project(m, `${name}.attn_v`, x), ...cache);
  return attend(m, `${name}.attn`, x, hidden, cache, options);
}

function crossAttention(m: ModelBuilder, name: string, hidden: Value): Value {
  const x = norm(m, hidden, `${name}.cross_attn_norm`, RMS);
  return attend(m, `${name}.cross_attn`, x, hidden, cacheOf(m, `${name}.cross`), { encoder: true });
}

/** Queries of `x` over a cache, and the output projection. */
function attend(
  m: ModelBuilder,
  name: string,
  x: Value,
  residual: Value,
  [keys, values]: Cache,
  options: Partial<AttentionOptions>,
): Value {
  const shape = headShape(m.config, 0);
  const q = project(m, `${name}_q`, x, shape.heads * shape.headDim);
  const attended = m.graph.attention(q, { keys, values, ...shape, scale: 1, ...options });
  const output = m.tensors.matrix(`${name}_o.weight`, m.config.hidden, shape.heads * shape.valueDim);
  return m.graph.matmul(attended, output, { residual });
}

function project(m: ModelBuilder, name: string, x: Value, rows?: number): Value {
  const { kvHeads, headDim, valueDim } = headShape(m.config, 0);
  const width = rows ?? kvHeads * (name.endsWith("_v") ? valueDim : headDim);
  return m.graph.matmul(x, m.tensors.matrix(`${name}.weight`, width, x.width));
}

function feedForward(m: ModelBuilder, name: string, hidden: Value): Value {
  const { config, graph, tensors } = m;
  const inner = config.feedForward[0];
  const x = norm(m, hidden, `${name}.ffn_norm`, RMS);
  const up = tensors.matrix(`${name}.ffn_up.weight`, inner, config.hidden);
  const gateName = `${name}.ffn_gate.weight`;
  const middle = tensors.has(gateName)
    ? graph.gated(
      graph.matmul(x, tensors.matrix(gateName, inner, config.hidden)),
      graph.matmul(x, up),
      "gelu",
    )
    : graph.matmul(x, up, { activation: "relu" });
  const down = tensors.matrix(`${name}.ffn_down.weight`, config.hidden, inner);
  return graph.matmul(middle, down, { residual: hidden });
}
