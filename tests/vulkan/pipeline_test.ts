/** Compiling: several pipelines at a time, beside everything else, and stopped when nobody wants them any more. */
import {
  type ComputePipeline,
  Device,
  Instance,
  Recorder,
  span,
  validationAvailable,
} from "../../src/vulkan/mod.ts";
import { assert, assertEquals, assertFails } from "../support/assert.ts";
import { floats, readFloats, scaleAdd, withDevice, withEnv } from "./support.ts";

/** Kernels that each add another number. */
const pipelines = (device: Device, count: number): ComputePipeline[] =>
  Array.from({ length: count }, (_, i) => scaleAdd(device, i));

Deno.test("compile() compiles each pipeline once and counts", async () => {
  const seen: [number, number][] = [];
  await withDevice(async (device) => {
    const wanted = pipelines(device, 5);
    await device.compile([...wanted, ...wanted]);
    assertEquals(seen, [[1, 5], [2, 5], [3, 5], [4, 5], [5, 5]]);
    const handles = wanted.map(({ handle }) => handle);
    await device.compile([...wanted, scaleAdd(device, 5)]);
    assertEquals(seen.slice(5), [[1, 1]]);
    assertEquals(wanted.map(({ handle }) => handle), handles);
    assertEquals(new Set(handles).size, 5);
  }, { onCompile: (done, total) => seen.push([done, total]) });
});

Deno.test("a kernel that was compiled beforehand computes what one compiled on demand does", () =>
  withDevice(async (device) => {
    using x = await floats(device, [1, 2]);
    const record = (addend: number) => {
      const recorder = new Recorder(device);
      recorder.dispatch(scaleAdd(device, addend), {
        workgroups: [1, 1, 1],
        push: { x: span(x), y: span(x), count: 2, factor: 2 },
        reads: [span(x)],
        writes: [span(x)],
      });
      return recorder;
    };
    const ahead = record(10);
    await device.compile(ahead.pipelines);
    using first = ahead.finish();
    using second = record(100).finish();
    device.submit([first, second]);
    assertEquals(await readFloats(device, span(x)), [3 * (3 + 10) + 100, 3 * (6 + 10) + 100]);
  }));

Deno.test("timers go on while compile() is at work (slowed down by ZINC_FAULT_SLOW_COMPILE_MS)", () =>
  withEnv({ ZINC_FAULT_SLOW_COMPILE_MS: "50" }, () =>
    withDevice(async (device) => {
      const order: string[] = [];
      setTimeout(() => order.push("timer"), 1);
      await device.compile(pipelines(device, 3)).then(() => order.push("compiled"));
      assertEquals(order, ["timer", "compiled"]);
    })));

Deno.test("compile() stops when its signal is aborted, and goes on from there the next time", async () => {
  const stopper = new AbortController();
  let done = 0;
  await withDevice(async (device) => {
    const wanted = pipelines(device, 40);
    await assertFails(() => device.compile(wanted, stopper.signal), "enough");
    assert(done < 40, `${done} were compiled`);
    const before = done;
    await device.compile(wanted);
    assertEquals(done, 40, `${before} before`);
    await assertFails(
      () => device.compile(pipelines(device, 41), AbortSignal.abort(new Error("at once"))),
      "at once",
    );
  }, {
    onCompile: () => {
      if (++done === 3) stopper.abort(new Error("enough"));
    },
  });
});

Deno.test("a device that is given up while it compiles is destroyed when its threads are done", async () => {
  const messages: string[] = [];
  await withEnv({ ZINC_FAULT_SLOW_COMPILE_MS: "20" }, async () => {
    using instance = Instance.create({
      validation: validationAvailable(),
      onMessage: (text) => messages.push(text),
    });
    const device = Device.create(instance.adapters()[0]);
    const compiled = device.compile(pipelines(device, 3));
    device[Symbol.dispose]();
    await compiled;
    await device[Symbol.asyncDispose]();
  });
  assertEquals(messages, []);
});
