/** Bytes that a step reads, against what the model files hold. */
import { trafficOf } from "../../src/graph/traffic.ts";
import { stateBytes } from "../../src/graph/vulkan_sequence.ts";
import { fuse } from "../../src/graph/fuse.ts";
import type { StateSlot } from "../../src/kernels/operation.ts";
import { type OpenModel, openModel } from "../../src/models/open_model.ts";
import { assertEquals, assertNear } from "../support/assert.ts";
import { goldenModel } from "../support/golden.ts";

const slotBytes = (slot: StateSlot, positions: number) =>
  stateBytes([slot], positions, { keys: "f16", values: "f16" });

function tensorBytes(model: OpenModel, named: RegExp): number {
  return [...model.file.tensors.values()].filter(({ name }) => named.test(name))
    .reduce((sum, { bytes }) => sum + bytes, 0);
}

/** What zinc adds to the file: rotary frequencies and the like. */
function constantBytes(model: OpenModel): number {
  return [...model.tensors.constants.values()].reduce((sum, { data }) => sum + data.byteLength, 0);
}

Deno.test("trafficOf() counts every tensor of a dense model once, but of the token table one row per token", () => {
  using model = openModel(goldenModel("llama_q8_0"), 64);
  const table = model.file.tensors.get("token_embd.weight")!;
  const rotations = 2 * 2 * constantBytes(model); // queries and keys of two layers
  for (const tokens of [1, 5]) {
    const rest = tensorBytes(model, /./) - table.bytes;
    const expected = rest + tokens * table.bytes / table.dims[1] + rotations;
    const { weights } = trafficOf(model.build(tokens, 1), 0, slotBytes);
    assertNear(weights, expected, constantBytes(model) * 4, `${tokens} tokens`);
  }
});

Deno.test("trafficOf() is the same for a fused graph", () => {
  using model = openModel(goldenModel("llama_q8_0"), 64);
  const graph = model.build(1, 1);
  const fused = trafficOf(fuse(graph, new Set()), 10, slotBytes);
  const plain = trafficOf(graph, 10, slotBytes);
  assertEquals(fused.state, plain.state);
  assertNear(fused.weights, plain.weights, 1024);
});

Deno.test("trafficOf() counts the chosen experts only", () => {
  using model = openModel(goldenModel("qwen3moe"), 64);
  const used = model.file.metadata.number("qwen3moe.expert_used_count");
  const count = model.file.metadata.number("qwen3moe.expert_count");
  const experts = tensorBytes(model, /_exps\./);
  const table = model.file.tensors.get("token_embd.weight")!;
  const rest = tensorBytes(model, /./) - experts - table.bytes + table.bytes / table.dims[1];
  const { weights } = trafficOf(model.build(1, 1), 0, slotBytes);
  assertNear(weights, rest + experts * used / count, 1024);
});

Deno.test("trafficOf() counts the cached rows that a token sees, its own included", () => {
  using model = openModel(goldenModel("llama_q8_0"), 64);
  const rowBytes = model.states.slots.reduce((sum, slot) => sum + slot.width * 2, 0);
  const state = (tokens: number, position: number) =>
    trafficOf(model.build(tokens, 1), position, slotBytes).state;
  assertEquals(state(1, 0), rowBytes);
  assertEquals(state(1, 40), 41 * rowBytes);
  assertEquals(state(8, 40), 48 * rowBytes);
});

Deno.test("trafficOf() counts no more than the window in windowed layers", () => {
  using model = openModel(goldenModel("gemma3"), 128);
  const window = model.file.metadata.number("gemma3.attention.sliding_window");
  const [narrow, wide] = [window, 101].map((rows) => rows * model.states.slots[0].width * 2 * 2);
  assertEquals(trafficOf(model.build(1, 1), 100, slotBytes).state, 6 * narrow + wide);
});

Deno.test("trafficOf() counts recurrent state once per step", () => {
  using model = openModel(goldenModel("mamba2"), 64);
  const state = model.states.slots.reduce((sum, slot) => sum + slot.width * 4, 0);
  assertEquals(trafficOf(model.build(1, 1), 50, slotBytes).state, state);
});
