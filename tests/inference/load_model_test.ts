import { assert, assertEquals, assertFails } from "../support/assert.ts";
import { goldenModel } from "../support/golden.ts";
import { loadModel, type LoadOptions } from "../../src/inference/load_model.ts";
import { Instance } from "../../src/vulkan/mod.ts";

/** Tokens per batch of an engine that was loaded with `options`, and whether a CPU runs it. */
async function batchOf(options: LoadOptions): Promise<[ubatch: number, cpu: boolean]> {
  await using model = await loadModel(goldenModel("llama2"), options);
  using engine = model.createEngine();
  return [engine.ubatch, model.device?.info.isCpu ?? true];
}

Deno.test("loadModel() makes batches short where a CPU works on them, so that a stop need not wait long", async () => {
  assertEquals(await batchOf({ executor: "reference" }), [16, true]);
  const [ubatch, cpu] = await batchOf({});
  assertEquals(ubatch, cpu ? 16 : 512);
});

Deno.test("loadModel() takes the batch that it is told", async () => {
  assertEquals((await batchOf({ ubatch: 64 }))[0], 64);
  assertEquals((await batchOf({ ubatch: 64, executor: "reference" }))[0], 64);
});

Deno.test("loadModel() complains about the file, whatever the device is like, and leaves no call of the driver behind", async () => {
  for (const device of [undefined, "no such device"]) {
    await assertFails(
      () => loadModel("no_such_model.gguf", { device }),
      /^Cannot read "no_such_model.gguf": /,
    );
  }
});

Deno.test("loadModel() complains about the device once the file is read", async () => {
  const options = { device: "no such device" };
  await assertFails(
    () => loadModel(goldenModel("llama2"), options),
    /^Cannot find device "no such device": there is 0: /,
  );
});

Deno.test("models that follow each other share one Vulkan instance, of which drivers allow a process only so many", async () => {
  const instances = new Set<Instance>([Instance.ofProcess()]);
  for (let i = 0; i < 2; i++) {
    await using model = await loadModel(goldenModel("llama2"));
    instances.add(model.device!.adapter.instance);
  }
  assertEquals(instances.size, 1);
  assert(Instance.ofProcess().adapters().length > 0, "the instance is gone with the models");
});
