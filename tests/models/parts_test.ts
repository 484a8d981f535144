import { GraphBuilder } from "../../src/graph/builder.ts";
import { Metadata } from "../../src/gguf/mod.ts";
import type { StoredValue } from "../../src/gguf/metadata.ts";
import { type Config, readConfig } from "../../src/models/config.ts";
import { alibiSlopes } from "../../src/models/parts/alibi.ts";
import { layerWindows } from "../../src/models/parts/windows.ts";
import { openModel } from "../../src/models/open_model.ts";
import { assertAllNear, assertEquals, assertFails } from "../support/assert.ts";
import { goldenModel } from "../support/golden.ts";

/** A configuration of six layers with further keys. */
function configWith(further: Record<string, StoredValue>): Config {
  const number = (value: number): StoredValue => ({ type: "u32", value });
  const values = {
    "x.block_count": number(6),
    "x.embedding_length": number(8),
    "x.context_length": number(64),
    "x.attention.sliding_window": number(5),
    ...further,
  };
  return readConfig(new Metadata(new Map(Object.entries(values))), "x", 10);
}

Deno.test("readConfig() refuses more tokens than can be sampled from", async () => {
  await assertFails(
    () => readConfig(new Metadata(new Map()), "x", 4194304),
    'Cannot use tensor "token_embd.weight": 4194304 tokens, allowed are 4194303',
  );
});

Deno.test("layerWindows() makes the last layer of each period global, or the first", () => {
  assertEquals(layerWindows(configWith({}), { period: 3 }), [5, 5, 0, 5, 5, 0]);
  assertEquals(layerWindows(configWith({}), { period: 3, globalFirst: true }), [0, 5, 5, 0, 5, 5]);
  assertEquals(layerWindows(configWith({}), { period: 0 }), [5, 5, 5, 5, 5, 5]);
});

Deno.test("layerWindows() prefers the file's pattern, a period or one flag per layer", () => {
  const key = "x.attention.sliding_window_pattern";
  const period = configWith({ [key]: { type: "u32", value: 2 } });
  assertEquals(layerWindows(period, { period: 6 }), [5, 0, 5, 0, 5, 0]);
  const flags = [true, false, false, true, true, false];
  const each = configWith({ [key]: { type: "array", of: "bool", value: flags } });
  assertEquals(layerWindows(each, { period: 6 }), [5, 0, 0, 5, 5, 0]);
});

Deno.test("alibiSlopes() follow the paper's series, also for head counts between powers of two", () => {
  using model = openModel(goldenModel("bloom"));
  const { config, tensors, states, contextLength } = model;
  const m = { graph: new GraphBuilder(1, 1), config, tensors, states, contextLength };
  const slopes = (heads: number) => tensors.constants.get(alibiSlopes(m, heads).name)!.data;
  assertAllNear(slopes(8), [1, 2, 3, 4, 5, 6, 7, 8].map((power) => 2 ** -power), 1e-9);
  // transformers 5.24.0, build_alibi_tensor for 6 heads.
  assertAllNear(slopes(6), [0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125], 1e-9);
});
