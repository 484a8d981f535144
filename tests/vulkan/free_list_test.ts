import { FreeList } from "../../src/vulkan/free_list.ts";
import { assert, assertEquals, assertFails } from "../support/assert.ts";

Deno.test("FreeList takes the first range that is long enough", () => {
  const list = new FreeList(1000);
  assertEquals([list.take(100), list.take(200), list.take(300)], [0, 100, 300]);
  list.give(0, 100);
  assertEquals(list.take(200), 600);
  assertEquals(list.take(80), 0);
});

Deno.test("FreeList refuses what no single range can hold", () => {
  const list = new FreeList(300);
  list.take(100);
  list.take(100);
  list.give(0, 100);
  assertEquals(list.take(150), null);
  assertEquals(list.take(100), 0);
});

Deno.test("FreeList joins neighbours whatever the order they come back in", () => {
  for (const order of [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]) {
    const list = new FreeList(300);
    for (let i = 0; i < 3; i++) list.take(100);
    for (const i of order) list.give(i * 100, 100);
    assert(list.empty, `order ${order}`);
    assertEquals(list.take(300), 0);
  }
});

Deno.test("FreeList notices a range that comes back twice", async () => {
  const list = new FreeList(300);
  list.take(100);
  list.take(100);
  list.give(0, 100);
  await assertFails(() => list.give(0, 100), "given back twice");
  await assertFails(() => list.give(50, 100), "given back twice");
});
