/** Forced garbage collection between filling a struct and the native call that reads it, for everything zinc calls. */
import type { VulkanFunctions } from "../../ffi/functions.ts";
import { Device, Instance, Recorder, span, Uploader, validationAvailable } from "../../src/vulkan/mod.ts";
import { assert, assertEquals } from "../support/assert.ts";
import { floats, readFloats, scaleAdd } from "./support.ts";

declare const gc: ((options: { type: "minor" | "major" }) => void) | undefined;

/** The functions of `vk`, each of which first collects garbage: often the young, now and then all of it. */
function collecting(vk: VulkanFunctions, counter: { calls: number }): VulkanFunctions {
  const wrapped = Object.entries(vk).map(([name, call]) => {
    const native = call as (...args: unknown[]) => unknown;
    return [name, (...args: unknown[]) => {
      gc!({ type: counter.calls++ % 1000 === 0 ? "major" : "minor" });
      return native(...args);
    }];
  });
  return Object.fromEntries(wrapped);
}

Deno.test({
  name: "1,000 rounds with garbage collected before every native call (needs --v8-flags=--expose-gc)",
  ignore: typeof gc !== "function",
  async fn() {
    const counter = { calls: 0 };
    const instance = Instance.create({ validation: validationAvailable() });
    (instance as { vk: VulkanFunctions }).vk = collecting(instance.vk, counter);
    {
      await using device = Device.create(instance.adapters()[0], { mapDeviceMemory: false });
      using sum = await floats(device, [0, 0, 0]);
      using uploader = new Uploader(device, { chunkBytes: 4096 });
      using ones = await floats(device, [0, 0, 0]);
      for (let round = 0; round < 1000; round++) {
        if (round % 100 === 0) {
          await uploader.write(span(ones), new Uint8Array(new Float32Array([1, 2, 3]).buffer));
        }
        using recorder = new Recorder(device, { profile: round % 10 === 0 });
        recorder.dispatch(scaleAdd(device, round % 50), { // 50 pipelines
          workgroups: [1, 1, 1],
          push: { x: span(ones), y: span(sum), count: 3, factor: 1 },
          reads: [span(ones), span(sum)],
          writes: [span(sum)],
        });
        using commands = recorder.finish();
        const value = device.submit([commands]);
        if (round % 4 === 0) await device.wait(value);
      }
      const addends = 1000 * 24.5; // the mean of 0 to 49, 1,000 times
      assertEquals(await readFloats(device, span(sum)), [1000 + addends, 2000 + addends, 3000 + addends]);
    }
    instance[Symbol.dispose]();
    assert(counter.calls > 10_000, `${counter.calls} calls`);
    assertEquals(instance.validationMessages, []);
  },
});
