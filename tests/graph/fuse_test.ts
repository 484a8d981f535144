import { type Graph, GraphBuilder } from "../../src/graph/builder.ts";
import { disabledFusions, fuse, FUSIONS } from "../../src/graph/fuse.ts";
import { deinterleave, expertDown, expertGateUp, route, scaleRows } from "../../src/graph/expert_nodes.ts";
import { deltaNet, shortConvolution } from "../../src/graph/recurrent_nodes.ts";
import { ReferenceState, runReferenceGraph } from "../../src/graph/reference_executor.ts";
import type { StateSlot, Value, Weight } from "../../src/kernels/operation.ts";
import { assert, assertAllNear, assertEquals, assertFails } from "../support/assert.ts";

const WIDTH = 8;
const weight = (name: string, rows = WIDTH): Weight => ({
  name,
  format: "f32",
  experts: 1,
  rows,
  columns: WIDTH,
});
const norm = { weight: weight("norm", 1), epsilon: 1e-5 };

/** A block of a decoder without its attention. */
function block(tokens: number): Graph {
  const graph = new GraphBuilder(tokens, tokens);
  const x = graph.embed(weight("table", 16));
  const normed = graph.norm(x, norm);
  const inner = graph.gated(graph.matmul(normed, weight("gate")), graph.matmul(normed, weight("up")), "silu");
  return graph.finish(graph.sum(x, graph.matmul(inner, weight("down")), 0.5));
}

/** The attention of a decoder, its heads normalised or not. */
function attentionBlock(tokens: number, normed: boolean): Graph {
  const graph = new GraphBuilder(tokens, tokens);
  const x = graph.embed(weight("table", 16));
  const rope = {
    headDim: 4,
    rotaryDim: 4,
    pairing: "halves",
    frequencies: { ...weight("angles", 1), columns: 2 },
  } as const;
  const perHead = (value: Value, name: string) =>
    normed
      ? graph.norm(value, { weight: { ...weight(name, 1), columns: 4 }, epsilon: 1e-5, groupWidth: 4 })
      : value;
  const project = (name: string) => graph.matmul(x, weight(name));
  const [q, k, v] = ["q", "k", "v"].map(project);
  const keys: StateSlot = { id: 0, name: "keys", kind: "kv", width: WIDTH };
  const values: StateSlot = { id: 1, name: "values", kind: "kv", width: WIDTH };
  const rotated = graph.rope(perHead(q, "qn"), rope);
  graph.storeKv(graph.rope(perHead(k, "kn"), rope), v, keys, values);
  return graph.finish(
    graph.attention(rotated, { keys, values, heads: 2, kvHeads: 2, headDim: 4, scale: 0.5 }),
  );
}

/** Runs a graph on weights that follow from their names. */
function run(graph: Graph): Float32Array {
  const values = new Map<string, Float32Array>();
  const decode = ({ name, experts, rows, columns }: Weight) => {
    let data = values.get(name);
    if (!data) {
      let state = [...name].reduce((sum, c) => sum * 31 + c.charCodeAt(0), 7) % 65521;
      data = Float32Array.from({ length: experts * rows * columns }, () => {
        state = (state * 16807) % 2147483647;
        return state / 2147483647 - 0.5;
      });
      values.set(name, data);
    }
    return data;
  };
  const source = {
    decode,
    decodeRow: (w: Weight, row: number) => decode(w).subarray(row * w.columns, (row + 1) * w.columns),
  };
  const tokens = Int32Array.from({ length: graph.result.rows }, (_, i) => i * 3 % 16);
  return runReferenceGraph(graph, { tokens, position: 0 }, source, new ReferenceState(8));
}

Deno.test("fuse() folds norm, gate, up, activation and residual of a block into two products", () => {
  const fused = fuse(block(3), new Set());
  assertEquals(fused.nodes.map((node) => node.op), ["embed", "matmul", "matmul"]);
});

Deno.test("fuse() does not change what a block computes, whichever fusions are on", () => {
  const plain = run(block(5));
  for (let mask = 0; mask < 2 ** FUSIONS.length; mask++) {
    const off = new Set(FUSIONS.filter((_, i) => mask >> i & 1).map((fusion) => fusion.name));
    assertAllNear(run(fuse(block(5), off)), plain, 1e-6, `without ${[...off]}`);
  }
});

for (const normed of [false, true]) {
  Deno.test(`fuse() readies queries, keys and values in one node, heads ${normed ? "normed" : "plain"}`, () => {
    const fused = fuse(attentionBlock(5, normed), new Set());
    assertEquals(fused.nodes.slice(4).map((node) => node.op), ["attention_inputs", "attention"]);
    assertAllNear(run(fused), run(attentionBlock(5, normed)), 1e-6);
  });
}

Deno.test("fuse() makes one node of a token's attention, for one token at a time", () => {
  for (const normed of [false, true]) {
    const fused = fuse(attentionBlock(1, normed), new Set());
    assertEquals(fused.nodes.slice(4).map((node) => node.op), ["attention_decode"]);
    assertAllNear(run(fused), run(attentionBlock(1, normed)), 1e-6);
  }
});

/** Attention whose projection of queries also gives gates. */
function gatedAttentionBlock(activation: "sigmoid" | "silu"): Graph {
  const graph = new GraphBuilder(1, 1);
  const x = graph.embed(weight("table", 16));
  const rope = {
    headDim: 4,
    rotaryDim: 4,
    pairing: "halves",
    frequencies: { ...weight("angles", 1), columns: 2 },
  } as const;
  const [q, gate] = deinterleave(graph, graph.matmul(x, weight("q", 2 * WIDTH)), 2, 4);
  const keys: StateSlot = { id: 0, name: "keys", kind: "kv", width: WIDTH };
  const values: StateSlot = { id: 1, name: "values", kind: "kv", width: WIDTH };
  graph.storeKv(graph.rope(graph.matmul(x, weight("k")), rope), graph.matmul(x, weight("v")), keys, values);
  const shape = { keys, values, heads: 2, kvHeads: 2, headDim: 4, scale: 0.5 };
  return graph.finish(graph.gated(gate, graph.attention(graph.rope(q, rope), shape), activation));
}

Deno.test("fuse() takes the gates of a token's attention along if they are sigmoids", () => {
  const ops = (activation: "sigmoid" | "silu") =>
    fuse(gatedAttentionBlock(activation), new Set()).nodes.map((node) => node.op)
      .filter((op) => op !== "matmul");
  assertEquals(ops("sigmoid"), ["embed", "attention_decode"]);
  assertEquals(ops("silu"), ["embed", "deinterleave", "attention_decode", "gated"]);
  assertAllNear(
    run(fuse(gatedAttentionBlock("sigmoid"), new Set())),
    run(gatedAttentionBlock("sigmoid")),
    1e-6,
  );
});

/** A feed-forward block whose router and experts read one norm. */
function expertBlock(tokens: number): Graph {
  const graph = new GraphBuilder(tokens, tokens);
  const x = graph.embed(weight("table", 16));
  const normed = graph.norm(x, norm);
  const routing = route(graph, graph.matmul(normed, weight("router", 4)), 2, { scoring: "softmax" });
  const stack = (name: string) => ({ ...weight(name), experts: 4 });
  const up = { gate: stack("gate"), up: stack("up") };
  const inner = expertGateUp(graph, normed, routing, up, { activation: "silu" });
  return graph.finish(expertDown(graph, inner, routing, stack("down"), { residual: x }));
}

Deno.test("fuse() lets the product that scores experts choose them, for one token at a time", () => {
  const fused = fuse(expertBlock(1), new Set());
  assertEquals(fused.nodes.map((node) => node.op), ["embed", "router", "expert_gate_up", "expert_down"]);
  assertAllNear(run(fused), run(expertBlock(1)), 1e-6);
});

/** A shared expert behind a gate per row. */
function sharedBlock(tokens: number): Graph {
  const graph = new GraphBuilder(tokens, tokens);
  const x = graph.embed(weight("table", 16));
  const scaled = scaleRows(
    graph,
    graph.matmul(x, weight("up")),
    graph.matmul(x, weight("gate", 1)),
    "sigmoid",
  );
  return graph.finish(graph.sum(x, graph.matmul(scaled, weight("down"))));
}

Deno.test("fuse() folds a gate per row into the product behind it", () => {
  const fused = fuse(sharedBlock(3), new Set());
  assertEquals(fused.nodes.map((node) => node.op), ["embed", "matmul", "matmul", "matmul"]);
  assertAllNear(run(fused), run(sharedBlock(3)), 1e-6);
});

Deno.test("fuse() folds the norm in front of a router and its experts into both", () => {
  const fused = fuse(expertBlock(3), new Set());
  const expected = ["embed", "matmul", "router", "expert_gate_up", "expert_down"];
  assertEquals(fused.nodes.map((node) => node.op), expected);
  assertAllNear(run(fused), run(expertBlock(3)), 1e-6);
});

/** A delta net layer between its projections, whose convolution has a bias or not. */
function deltaBlock(tokens: number, bias?: Weight, alsoReadsConvolution = false): Graph {
  const graph = new GraphBuilder(tokens, tokens);
  const x = graph.embed(weight("table", 16));
  const slot = (id: number, width: number): StateSlot => ({
    id,
    name: `slot${id}`,
    kind: "recurrent",
    width,
  });
  const taps = { ...weight("taps", 24), columns: 4 };
  const qkv = shortConvolution(graph, graph.matmul(x, weight("qkv", 24)), taps, slot(0, 96), {
    activation: "silu",
    bias,
  });
  const [alpha, beta] = ["alpha", "beta"].map((name) => graph.matmul(x, weight(name, 2)));
  const y = deltaNet(graph, { qkv, alpha, beta, gate: graph.matmul(x, weight("z")) }, {
    keyHeads: 2,
    valueHeads: 2,
    keyDim: 4,
    keyHeadOrder: "grouped",
    gateGroup: 2,
    decay: { ...weight("decay", 1), columns: 2 },
    dtBias: { ...weight("dt", 1), columns: 2 },
    normWeight: { ...weight("norm", 1), columns: 4 },
    epsilon: 1e-5,
    state: slot(1, 32),
  });
  const again = { ...weight("again"), columns: 24 };
  return graph.finish(alsoReadsConvolution ? graph.sum(y, graph.matmul(qkv, again)) : y);
}

Deno.test("fuse() folds a convolution into the delta net behind it, for one token at a time", () => {
  const ops = (tokens: number) => fuse(deltaBlock(tokens), new Set()).nodes.map((node) => node.op);
  assertEquals(ops(1).includes("short_convolution"), false);
  assertEquals(ops(2).includes("short_convolution"), true);
  assertAllNear(run(fuse(deltaBlock(1), new Set())), run(deltaBlock(1)), 1e-6);
});

Deno.test("fuse() keeps a convolution with a bias apart from the delta net, which has none", () => {
  const biased = deltaBlock(1, { ...weight("conv bias", 1), columns: 24 });
  assert(fuse(biased, new Set()).nodes.some((node) => node.op === "short_convolution"));
  assertAllNear(run(fuse(biased, new Set())), run(biased), 1e-6);
});

Deno.test("fuse() keeps a convolution that something else reads apart from the delta net", () => {
  const read = deltaBlock(1, undefined, true);
  assert(fuse(read, new Set()).nodes.some((node) => node.op === "short_convolution"));
  assertAllNear(run(fuse(read, new Set())), run(read), 1e-6);
});

/** A gated pair with biases, and what else reads its halves. */
function biasedPair(alsoRead: "gate" | "up" | "neither"): Graph {
  const graph = new GraphBuilder(1, 1);
  const x = graph.embed(weight("table", 16));
  const half = (name: string) => graph.matmul(x, weight(name), { bias: weight(`${name} bias`, 1) });
  const [gate, up] = [half("gate"), half("up")];
  const inner = graph.gated(gate, up, "silu");
  return graph.finish(alsoRead === "neither" ? inner : graph.sum(inner, alsoRead === "gate" ? gate : up));
}

Deno.test("fuse() pairs gate and up with the bias of each", () => {
  const fused = fuse(biasedPair("neither"), new Set());
  assertEquals(fused.nodes.map((node) => node.op), ["embed", "matmul"]);
  assertAllNear(run(fused), run(biasedPair("neither")), 1e-6);
});

Deno.test("fuse() keeps gate and up apart when something else reads either", () => {
  for (const half of ["gate", "up"] as const) {
    const fused = fuse(biasedPair(half), new Set());
    assertEquals(fused.nodes.filter((node) => node.op === "gated").length, 1, half);
    assertAllNear(run(fused), run(biasedPair(half)), 1e-6);
  }
});

Deno.test("fuse() keeps a norm with a bias apart from products, which have no place for it", () => {
  const graph = new GraphBuilder(1, 1);
  const normed = graph.norm(graph.embed(weight("table", 16)), { ...norm, bias: weight("norm bias", 1) });
  const finished = graph.finish(graph.matmul(normed, weight("a")));
  assertEquals(fuse(finished, new Set()).nodes.map((node) => node.op), ["embed", "norm", "matmul"]);
});

Deno.test("fuse() adds a product's residual where the product is written, scaled and whatever else it has", () => {
  const graph = new GraphBuilder(1, 1);
  const x = graph.embed(weight("table", 16));
  const options = { bias: weight("bias", 1), activation: "silu", scale: 0.25, residual: x } as const;
  const finished = graph.finish(graph.matmul(x, weight("a"), options));
  const fused = fuse(finished, new Set());
  assertEquals([finished, fused].map(({ nodes }) => nodes.map((node) => node.op)), [
    ["embed", "matmul", "add"],
    ["embed", "matmul"],
  ]);
  assertAllNear(run(fused), run(finished), 1e-6);
});

Deno.test("fuse() keeps a norm apart for batches that tiled kernels take", () => {
  assert(fuse(block(9), new Set()).nodes.some((node) => node.op === "norm"));
});

Deno.test("fuse() keeps a value that something else reads", () => {
  const graph = new GraphBuilder(1, 1);
  const x = graph.embed(weight("table", 16));
  const normed = graph.norm(x, norm);
  const product = graph.matmul(normed, weight("a"));
  const finished = graph.finish(graph.sum(graph.sum(normed, product), product));
  assertEquals(fuse(finished, new Set()).nodes.map((node) => node.op), [
    "embed",
    "norm",
    "matmul",
    "add",
    "add",
  ]);
});

Deno.test("fuse() never folds away the graph's result", () => {
  const graph = new GraphBuilder(1, 1);
  const normed = graph.norm(graph.embed(weight("table", 16)), norm);
  graph.matmul(normed, weight("a"));
  assertEquals(fuse(graph.finish(normed), new Set()).nodes.map((node) => node.op), [
    "embed",
    "norm",
    "matmul",
  ]);
});

Deno.test("disabledFusions() reads names, all, and refuses a name that is none", async () => {
  assertEquals([...disabledFusions("norm, gate_up")], ["norm", "gate_up"]);
  assertEquals(disabledFusions("all").size, FUSIONS.length);
  await assertFails(() => disabledFusions("nrom"), 'Cannot switch off fusion "nrom" in ZINC_NO_FUSE');
});
