import { Recorder, span } from "../../src/vulkan/mod.ts";
import { assert, assertEquals, assertFails } from "../support/assert.ts";
import { floats, readFloats, scaleAdd, withDevice, withEnv } from "./support.ts";

const MiB = 2 ** 20;

Deno.test("small buffers share one block, are aligned to 256 bytes and give their place back", () =>
  withDevice((device) => {
    using first = device.createBuffer({ bytes: 100, kind: "weights", label: "first" });
    const block = device.allocatedBytes;
    const second = device.createBuffer({ bytes: 300, kind: "weights", label: "second" });
    using third = device.createBuffer({ bytes: 1, kind: "weights", label: "third" });
    assertEquals(device.allocatedBytes, block);
    assertEquals([second.address - first.address, third.address - first.address], [256n, 768n]);
    assertEquals(first.address % 256n, 0n);
    second[Symbol.dispose]();
    using again = device.createBuffer({ bytes: 500, kind: "weights", label: "again" });
    assertEquals(again.address, first.address + 256n);
  }));

Deno.test("a large buffer gets a block of its own size", () =>
  withDevice((device) => {
    using _large = device.createBuffer({ bytes: 70 * MiB, kind: "weights", label: "large" });
    assertEquals(device.allocatedBytes, 70 * MiB);
  }));

Deno.test("staging memory never shares a block with device memory", () =>
  withDevice((device) => {
    using weights = device.createBuffer({ bytes: 256, kind: "weights", label: "w" });
    using staging = device.createBuffer({ bytes: 256, kind: "staging", label: "s" });
    assert(weights.allocation.block !== staging.allocation.block);
    assert(staging.mapped !== null, "the host can write it");
  }));

Deno.test("createBuffer() refuses sizes that are no size", () =>
  withDevice(async (device) => {
    for (const bytes of [0, -1, 1.5, NaN, 2 ** 53]) {
      await assertFails(
        () => device.createBuffer({ bytes, kind: "weights", label: "odd" }),
        "odd: a buffer of",
      );
    }
  }));

Deno.test("ZINC_VK_MAX_ALLOC makes blocks smaller, and gives a larger request a block of its own", () =>
  withEnv({ ZINC_VK_MAX_ALLOC: "1MiB" }, () =>
    withDevice(async (device) => {
      using small = await floats(device, [1, 2]);
      assertEquals(device.allocatedBytes, MiB);
      using large = device.createBuffer({ bytes: 3 * MiB, kind: "activations", label: "large" });
      assertEquals(device.allocatedBytes, 4 * MiB);
      using recorder = new Recorder(device);
      recorder.fill(span(large), 0);
      recorder.dispatch(scaleAdd(device), {
        workgroups: [1, 1, 1],
        push: { x: span(small), y: span(large, 3 * MiB - 8), count: 2, factor: 3 },
        reads: [span(small), span(large)],
        writes: [span(large)],
      });
      using commands = recorder.finish();
      device.submit([commands]);
      assertEquals(await readFloats(device, span(large, 3 * MiB - 8)), [3, 6]);
    })));

Deno.test("a request above what the device allows in one piece is refused with both sizes", () =>
  withDevice(async (device) => {
    const most = device.adapter.limits.maxMemoryAllocationSize;
    if (most > 2 ** 45) return; // practically unlimited
    await assertFails(
      () => device.createBuffer({ bytes: most + 1, kind: "weights", label: "token_embd.weight" }),
      /^Cannot allocate [\d.]+ GiB for token_embd\.weight: .* allows at most [\d.]+ GiB in one piece$/,
    );
  }));

Deno.test("ZINC_VK_MEMORY_LIMIT caps the budget and is an out-of-memory error with needed and free sizes", () =>
  withEnv({ ZINC_VK_MEMORY_LIMIT: "8MiB" }, () =>
    withDevice(async (device) => {
      assertEquals(device.memoryBudget(), { total: 8 * MiB, free: 8 * MiB });
      using _kept = device.createBuffer({ bytes: 5 * MiB, kind: "weights", label: "kept" });
      assertEquals(device.memoryBudget(), { total: 8 * MiB, free: 3 * MiB });
      const error = await assertFails(
        () => device.createBuffer({ bytes: 4 * MiB, kind: "activations", label: "KV cache" }),
        /^Cannot allocate 4\.0 MiB for KV cache: 3\.0 MiB of 8\.0 MiB are free on .*; lower --ctx or --ubatch,/,
      );
      assertEquals(error.name, "OutOfMemoryError");
      using _fits = device.createBuffer({ bytes: 3 * MiB, kind: "activations", label: "fits" });
      assertEquals(device.memoryBudget().free, 0);
    })));

Deno.test("a shared block shrinks until it fits what is left", () =>
  withEnv({ ZINC_VK_MEMORY_LIMIT: "5MiB" }, () =>
    withDevice((device) => {
      using _small = device.createBuffer({ bytes: 1000, kind: "weights", label: "small" });
      assert(device.allocatedBytes >= 1024 && device.allocatedBytes <= 5 * MiB);
    })));

Deno.test("a size in the environment that is none is a usage error", () =>
  withEnv({ ZINC_VK_MAX_ALLOC: "lots" }, async () => {
    await assertFails(
      () => withDevice(() => {}),
      'Cannot read ZINC_VK_MAX_ALLOC: "lots" is not a size such as 512MiB',
    );
  }));

Deno.test("ZINC_FAULT_POISON_MEMORY fills new buffers with what gives no number, also memory that was used before", () =>
  withEnv({ ZINC_FAULT_POISON_MEMORY: "1" }, () =>
    withDevice((device) => {
      for (let round = 0; round < 2; round++) {
        using buffer = device.createBuffer({ bytes: 1024, kind: "activations", label: "data" });
        if (!buffer.mapped) return; // nothing to see from here
        assertEquals(new Set(buffer.mapped.subarray(0, 1024)), new Set([0xff]));
        buffer.mapped.fill(1);
      }
    }, { mapDeviceMemory: true })));
