/**
 * The machine that most families are: a stack of blocks, each attention and a feed-forward part around a residual stream (Vaswani et
 * al. 2017, https://arxiv.org/abs/1706.03762), with a knob for everything in which published models differ.
 *
 * A family file sets the knobs that differ from LLaMA's: RMS norm before each half, one half after the other, no biases.
 */
import type { Value } from "../../kernels/operation.ts";
import type { RopePairing } from "../../kernels/rope.ts";
import type { Config } from "../config.ts";
import type { ModelBuilder } from "../model_builder.ts";
import { alibiSlopes } from "./alibi.ts";
import { attention, type AttentionSettings, type Finish, type QkNorm } from "./attention.ts";
import { feedForward, type FeedForwardSpec } from "./feed_forward.ts";
import { addLearnedPositions, embedTokens, type HeadSettings, outputHead } from "./head.ts";
import { norm, type NormSpec } from "./norm.ts";
import { ropeTable } from "./rope.ts";
import { layerWindows, type WindowPattern } from "./windows.ts";

/** How a token knows where it is. */
export type Positions =
  | RotaryPositions
  /** A learned vector per position, added to the embedding. */
  | { readonly kind: "learned" }
  /** A penalty on the score that grows with distance; `attention.max_alibi_bias`, 8 by default. */
  | { readonly kind: "alibi" }
  | { readonly kind: "none" };

/** Rotary positions. */
export interface RotaryPositions {
  readonly kind: "rope";
  readonly pairing: RopePairing;
  /** Layers that rotate: all by default; only those with a window; or all but every nth. */
  readonly layers?: "windowed" | { readonly allButEvery: number };
  /** Layers with a window use this key's base (or the default) and no scaling. */
  readonly windowed?: { readonly baseKey: string; readonly base: number };
}

/** Places where a family has biases. */
export type BiasPlace = "norm" | "qkv" | "attention output" | "feed-forward" | "logits";

/** Where norms stand. `after` and `around`: on what a half adds; `after residual`: on the sum. */
export type NormPlace = "before" | "after" | "around" | "after residual";

/** A half of a block that a family builds by itself. */
export interface CustomBlock {
  /** Its cell in the table of families. */
  readonly trait: string;
  build(m: ModelBuilder, layer: number, x: Value, finish: Finish): Value;
}

/** The knobs. Functions of the config are for what depends on the file's numbers. */
export interface TransformerSpec {
  /** RMS by default. */
  readonly norm?: NormSpec["kind"];
  /** Before each half by default. */
  readonly normPlace?: NormPlace;
  /** Names of the norms' tensors where they are not the usual ones. */
  readonly normNames?: Partial<NormNames>;
  /** The first block's attention reads the embeddings as they are. */
  readonly noFirstNorm?: boolean;
  /** `parallel`: both halves read the same input and are added together; with `two norms`, each through its own. */
  readonly block?: "sequential" | "parallel" | "parallel, two norms";
  readonly positions: Positions;
  /** Which layers have the file's `attention.sliding_window`; without, none has. */
  readonly windows?: WindowPattern;
  /** A norm on queries and keys. */
  readonly qkNorm?: QkNorm;
  /** Whether files hold queries, keys and values as one matrix. */
  readonly fusedQkv?: boolean;
  readonly feedForward: FeedForwardSpec | CustomBlock;
  /** In place of ordinary attention. */
  readonly attention?: CustomBlock;
  /** Every token sees every other. */
  readonly bidirectional?: boolean;
  /** Biases that must be in the file; others are used where it has them. */
  readonly biases?: readonly BiasPlace[];
  /** A norm on the embeddings, `token_embd_norm`. */
  readonly embeddingNorm?: boolean;
  /** Row 0 of `token_types` is added to the embeddings. */
  readonly tokenTypes?: boolean;
  /** No norm behind the last block. */
  readonly noFinalNorm?: boolean;
  /** Always an output matrix of its own; otherwise the token table serves where there is none. */
  readonly ownOutput?: boolean;
  /** Factor on the embeddings. */
  readonly embeddingScale?: (config: Config) => number;
  /** Factor on what each half adds. */
  readonly residualScale?: (config: Config) => number;
  /** Factor on the scores; the file's `attention.scale` or `1 / sqrt(headDim)` by default. */
  readonly attentionScale?: (config: Config) => number;
  /** `cap * tanh(score / cap)`; 0: off. */
  readonly scoreSoftcap?: (config: Config) => number;
  /** Factor on the logits. */
  readonly logitScale?: (config: Config) => number;
  /** `cap * tanh(logit / cap)`; 0: off. */
  readonly logitSoftcap?: (config: Config) => number;
  /** Further settings of attention. */
  readonly attentionExtras?: (m: ModelBuilder, layer: number) => Partial<AttentionSettings>;
}

/** Tensor names of a block's norms, without `blk.<layer>.` and `.weight`. */
export interface NormNames {
  readonly attention: string;
  readonly feedForward: string;
  readonly afterAttention: string;
  readonly afterFeedForward: string;
  /** The norm in front of the output matrix, which belongs to no block. */
  readonly final: string;
}

const NORM_NAMES: NormNames = {
  attention: "attn_norm",
  feedForward: "ffn_norm",
  afterAttention: "post_attention_norm",
  afterFeedForward: "post_ffw_norm",
  final: "output_norm",
};

/** Logits of a decoder. */
export function decoderLogits(m: ModelBuilder, spec: TransformerSpec): Value {
  return outputHead(m, hiddenStates(m, spec), headSettings(m.config, spec));
}

/** The last rows of an encoder's hidden states, `[outputs, hidden]`. */
export function encoderStates(m: ModelBuilder, spec: TransformerSpec): Value {
  const last = m.graph.lastRows(hiddenStates(m, spec), m.graph.outputs);
  return spec.noFinalNorm ? last : norm(m, last, spec.normNames?.final ?? NORM_NAMES.final, normSpec(spec));
}

/** Logit settings of a spec. */
export function headSettings(config: Config, spec: TransformerSpec): HeadSettings {
  return {
    norm: normSpec(spec),
    normName: spec.normNames?.final,
    ownOutput: spec.ownOutput,
    bias: has(spec, "logits"),
    scale: spec.logitScale?.(config),
    softcap: spec.logitSoftcap?.(config),
  };
}

/** The residual stream behind the last block, `[tokens, hidden]`. */
export function hiddenStates(m: ModelBuilder, spec: TransformerSpec): Value {
  let hidden = embeddings(m, spec);
  for (let layer = 0; layer < m.config.layers; layer++) hidden = block(m, spec, layer, hidden);
  return hidden;
}

/** What the first block reads. */
export function embeddings(m: ModelBuilder, spec: TransformerSpec): Value {
  const { config, graph, tensors } = m;
  let hidden = embedTokens(m, spec.embeddingScale?.(config));
  if (spec.tokenTypes) {
    const types = tensors.matrix(
      "token_types.weight",
      tensors.extent("token_types.weight", 1),
      config.hidden,
    );
    hidden = graph.sum(hidden, graph.embed(types, { index: { by: "row", row: 0 } }));
  }
  if (spec.positions.kind === "learned") hidden = addLearnedPositions(m, hidden);
  return spec.embeddingNorm ? norm(m, hidden, "token_embd_norm", normSpec(spec)) : hidden;
}

/** One block. */
export function block(m: ModelBuilder, spec: TransformerSpec, layer: number, hidden: Value): Value {
  const names = { ...NORM_NAMES, ...spec.normNames };
  const place = spec.normPlace ?? "before";
  const scale = spec.residualScale?.(m.config) ?? 1;
  const normed = (x: Value, name: string) => {
    if (spec.noFirstNorm && layer === 0 && name === names.attention) return x;
    return norm(m, x, `blk.${layer}.${name}`, normSpec(spec));
  };
  const half = (x: Value, build: HalfBlock, before: string, after: string) => {
    const input = place === "before" || place === "around" ? normed(x, before) : x;
    if (place === "before") return build(input, { residual: x, scale });
    if (place === "after residual") return normed(build(input, { residual: x, scale }), after);
    return m.graph.sum(x, normed(build(input, {}), after), scale);
  };
  const attend: HalfBlock = (x, finish) => attentionHalf(m, spec, layer, x, finish);
  const feed: HalfBlock = (x, finish) => feedForwardHalf(m, spec, layer, x, finish);
  if (spec.block === undefined || spec.block === "sequential") {
    const middle = half(hidden, attend, names.attention, names.afterAttention);
    return half(middle, feed, names.feedForward, names.afterFeedForward);
  }
  const input = normed(hidden, names.attention);
  const other = spec.block === "parallel" ? input : normed(hidden, names.feedForward);
  return feed(other, { residual: attend(input, { residual: hidden, scale }), scale });
}

type HalfBlock = (x: Value, finish: Finish) => Value;

function attentionHalf(
  m: ModelBuilder,
  spec: TransformerSpec,
  layer: number,
  x: Value,
  finish: Finish,
): Value {
  if (spec.attention) return spec.attention.build(m, layer, x, finish);
  return attention(m, layer, x, attentionSettings(m, spec, layer), finish);
}

function feedForwardHalf(
  m: ModelBuilder,
  spec: TransformerSpec,
  layer: number,
  x: Value,
  finish: Finish,
): Value {
  if ("build" in spec.feedForward) return spec.feedForward.build(m, layer, x, finish);
  return feedForward(m, layer, x, { bias: has(spec, "feed-forward"), ...spec.feedForward }, finish);
}

/** The settings of one layer's attention that follow from the knobs. */
export function attentionSettings(m: ModelBuilder, spec: TransformerSpec, layer: number): AttentionSettings {
  const window = spec.windows ? layerWindows(m.config, spec.windows)[layer] : 0;
  return {
    window,
    causal: !spec.bidirectional,
    rope: layerRope(m, spec, layer, window > 0),
    alibiSlopes: spec.positions.kind === "alibi" ? alibiSlopes(m, m.config.heads[layer]) : undefined,
    scale: spec.attentionScale?.(m.config),
    softcap: spec.scoreSoftcap?.(m.config),
    qkNorm: spec.qkNorm,
    fused: spec.fusedQkv,
    biases: { qkv: has(spec, "qkv"), output: has(spec, "attention output") },
    ...spec.attentionExtras?.(m, layer),
  };
}

function layerRope(
  m: ModelBuilder,
  spec: TransformerSpec,
  layer: number,
  windowed: boolean,
): AttentionSettings["rope"] {
  const { positions } = spec;
  if (positions.kind !== "rope") return undefined;
  const { pairing, layers } = positions;
  if (layers === "windowed" && !windowed) return undefined;
  if (typeof layers === "object" && (layer + 1) % layers.allButEvery === 0) return undefined;
  if (!windowed || !positions.windowed) return { ...ropeTable(m), pairing };
  const { baseKey, base } = positions.windowed;
  return { ...ropeTable(m, { base: m.config.keys.positive(baseKey, base), scaled: false }), pairing };
}

function normSpec(spec: TransformerSpec): NormSpec {
  return { kind: spec.norm ?? "rms", bias: has(spec, "norm") };
}

function has(spec: TransformerSpec, place: BiasPlace): boolean {
  return spec.biases?.includes(place) ?? false;
}
