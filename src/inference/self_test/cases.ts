/**
 * Small graphs that together use every family of kernels, with weights that any machine makes the same. Their right
 * answers are what the reference executor gives.
 */
import type { GraphBuilder } from "../../graph/builder.ts";
import { expertDown, expertGateUp, route } from "../../graph/expert_nodes.ts";
import {
  deltaNet,
  selectiveScan,
  shortConvolution,
  stateSpaceScan,
  tokenShift,
  wkv7,
} from "../../graph/recurrent_nodes.ts";
import type { CacheTypes } from "../../kernels/cache_types.ts";
import type { Value, Weight } from "../../kernels/operation.ts";
import type { StateTable, TensorTable } from "../../models/model_builder.ts";
import type { FormatName } from "../../quant/formats.ts";
import { EXPERTS, MATRIX, noise, TEST_FORMATS, TOKENS, WIDTH } from "./weights.ts";

/** What a case builds with. */
export interface CaseContext {
  readonly graph: GraphBuilder;
  readonly tensors: TensorTable;
  readonly states: StateTable;
  /** Activations to start from, `[tokens, WIDTH]`. */
  readonly x: Value;
}

/** One small graph. */
export interface KnownAnswerCase {
  /** Operation, and the weights' format where it matters. */
  readonly name: string;
  /** Largest error, as a share of the largest element, that rounding explains. */
  readonly tolerance: number;
  /** What both executors store keys and values as; by default the device float16 and the reference float32. */
  readonly cacheTypes?: CacheTypes;
  build(context: CaseContext): Value;
}

const F32_TOLERANCE = 1e-4;
// Keys and values are stored as float16, and matrix units multiply weights as such.
const F16_TOLERANCE = 2e-3;
// One step of Q8_0: numbers between two steps may go either way.
const Q8_0_TOLERANCE = 1e-2;
const EPSILON = 1e-5;

const SIMPLE: readonly KnownAnswerCase[] = [
  plain("norm", (c) => c.graph.norm(c.x, { epsilon: EPSILON, weight: vector(c, "norm", WIDTH) })),
  plain("layer norm", (c) => {
    const [weight, bias] = [vector(c, "norm", WIDTH), vector(c, "norm bias", WIDTH)];
    return c.graph.norm(c.x, { kind: "layer", epsilon: EPSILON, weight, bias });
  }),
  plain("add", (c) => c.graph.sum(c.x, c.x, 0.5)),
  plain("gated", (c) => c.graph.gated(c.graph.columns(c.x, 0, 128), c.graph.columns(c.x, 128, 128), "silu")),
  plain("map", (c) => c.graph.softcap(c.x, 0.7)),
  plain("rope", (c) => c.graph.rope(c.x, { ...ROTATION, frequencies: frequencies(c) })),
  { name: "attention", tolerance: F16_TOLERANCE, build: attention },
  {
    name: "attention over q8_0",
    tolerance: Q8_0_TOLERANCE,
    cacheTypes: { keys: "q8_0", values: "q8_0" },
    build: attention,
  },
  plain("router and experts", experts),
  plain("short_convolution", (c) => {
    const weight = vector(c, "convolution", 4 * WIDTH, WIDTH);
    return shortConvolution(c.graph, c.x, weight, c.states.recurrent("convolution", 4 * WIDTH));
  }),
  plain("selective_scan", (c) => {
    const [x, dt, b, columnsC, gate] = columns(c, 64, 64, 16, 16, 64);
    const [decay, skip] = [negative(c, "decay", 64 * 16, 64), vector(c, "skip", 64)];
    const state = c.states.recurrent("scan", 64 * 16);
    return selectiveScan(c.graph, { x, dt, b, c: columnsC, gate }, { decay, skip, state });
  }),
  plain("state_space_scan", (c) => {
    const [xbc, dt, gate] = columns(c, 96, 4, 64);
    return stateSpaceScan(c.graph, { xbc, dt, gate }, {
      decay: negative(c, "decay of heads", 4),
      dtBias: vector(c, "dt bias", 4),
      skip: vector(c, "skip of heads", 4),
      heads: 4,
      groups: 1,
      stateSize: 16,
      state: c.states.recurrent("scan", 64 * 16),
    });
  }),
  plain("delta_net", (c) => {
    const [qkv, alpha, beta, gate] = columns(c, 96, 4, 4, 64);
    return deltaNet(c.graph, { qkv, alpha, beta, gate }, {
      keyHeads: 1,
      valueHeads: 4,
      keyDim: 16,
      keyHeadOrder: "grouped",
      gateGroup: 4,
      decay: negative(c, "decay of heads", 4),
      dtBias: vector(c, "dt bias", 4),
      normWeight: vector(c, "delta norm", 16),
      epsilon: EPSILON,
      state: c.states.recurrent("delta", 64 * 16),
    });
  }),
  plain("token_shift", (c) => {
    const mix = vector(c, "mix", WIDTH);
    return tokenShift(c.graph, c.x, mix, c.states.recurrent("shift", WIDTH))[0];
  }),
  plain("wkv7", (c) => {
    const [r, decay, k, v, a, gate] = columns(c, 32, 32, 32, 32, 32, 32).map((view) => packed(c, view));
    return wkv7(c.graph, { r, decay, k, v, a, gate }, {
      headDim: 16,
      removalScale: vector(c, "removal", 32),
      learningScale: vector(c, "learning", 32),
      bonus: vector(c, "bonus", 32),
      normWeight: vector(c, "wkv norm", 32),
      normBias: vector(c, "wkv norm bias", 32),
      state: c.states.recurrent("wkv", 32 * 16),
    });
  }),
];

/** All cases. */
export const KNOWN_ANSWER_CASES: readonly KnownAnswerCase[] = [
  ...TEST_FORMATS.flatMap((format) => [
    plain(`embed ${format}`, (c) => c.graph.embed(matrix(c, format))),
    {
      name: `matmul ${format}`,
      tolerance: F16_TOLERANCE,
      build: (c: CaseContext) => c.graph.matmul(c.x, matrix(c, format)),
    },
  ]),
  ...SIMPLE,
];

const HEADS = { heads: 2, kvHeads: 1, headDim: 64 } as const;
const ROTATION = { headDim: 64, rotaryDim: 64, pairing: "halves" } as const;

function attention(c: CaseContext): Value {
  const keys = c.states.kv("keys", HEADS.headDim, "keys");
  const values = c.states.kv("values", HEADS.headDim, "values");
  const [q, k, v] = columns(c, HEADS.heads * HEADS.headDim, HEADS.headDim, HEADS.headDim);
  c.graph.storeKv(k, v, keys, values);
  return c.graph.attention(q, { ...HEADS, keys, values, scale: 0.125 });
}

function experts(c: CaseContext): Value {
  const { count, used, inner } = EXPERTS;
  const routing = route(c.graph, c.graph.columns(c.x, 0, count), used, {
    scoring: "softmax",
    renormalize: true,
  });
  const stack = (name: string, rows: number, width: number) =>
    c.tensors.experts(`experts.${name}`, count, rows, width);
  const weights = { gate: stack("gate", inner, WIDTH), up: stack("up", inner, WIDTH) };
  const h = expertGateUp(c.graph, c.x, routing, weights, { activation: "silu" });
  return expertDown(c.graph, h, routing, stack("down", WIDTH, inner));
}

function plain(name: string, build: KnownAnswerCase["build"]): KnownAnswerCase {
  return { name, tolerance: F32_TOLERANCE, build };
}

function matrix({ tensors }: CaseContext, format: FormatName): Weight {
  return tensors.matrix(`matrix.${format}`, MATRIX.rows, MATRIX.columns);
}

/** Computed weights: `[rows, length / rows]`. */
function vector({ tensors }: CaseContext, name: string, length: number, rows = 1): Weight {
  return tensors.constant(name, () => noise(name, length), rows);
}

function negative({ tensors }: CaseContext, name: string, length: number, rows = 1): Weight {
  return tensors.constant(name, () => noise(name, length).map((value) => -Math.abs(value)), rows);
}

function frequencies({ tensors }: CaseContext): Weight {
  const halves = ROTATION.rotaryDim / 2;
  return tensors.constant(
    "frequencies",
    () => Float32Array.from({ length: halves }, (_, i) => 10_000 ** (-i / halves)),
  );
}

/** Neighbouring column ranges of the input, each beginning at a multiple of four. */
function columns({ graph, x }: CaseContext, ...widths: readonly number[]): Value[] {
  let start = 0;
  return widths.map((width) => {
    const view = graph.columns(x, start, width);
    start += Math.ceil(width / 4) * 4;
    return view;
  });
}

/** A copy of a view whose rows follow each other, for operations that insist. */
function packed({ graph }: CaseContext, view: Value): Value {
  return graph.map(view, { kind: "none" });
}

/** Token ids of the batches that each case is run on, one after the other: the last is for the kernels of long prompts. */
export const BATCHES: readonly (readonly number[])[] = [
  [3, 1, 4, 1, 5, 9, 2],
  [6],
  [TOKENS - 1, 0],
  Array.from({ length: 37 }, (_, i) => i * 7 % TOKENS),
];
