import { type DeviceBuffer, Recorder, span } from "../../src/vulkan/mod.ts";
import type { Device } from "../../src/vulkan/device.ts";
import { assert, assertEquals, assertFails } from "../support/assert.ts";
import { floats, readFloats, scaleAdd, withDevice } from "./support.ts";

/** Records `y += factor * x` for the first `count` floats. */
function addTo(
  recorder: Recorder,
  x: DeviceBuffer,
  y: DeviceBuffer,
  options: { count?: number; factor?: number } = {},
) {
  const { count = y.bytes / 4, factor = 1 } = options;
  recorder.dispatch(scaleAdd(recorder.device), {
    workgroups: [Math.ceil(count / 64), 1, 1],
    push: { x: span(x), y: span(y), count, factor },
    reads: [span(x), span(y)],
    writes: [span(y)],
  });
}

/** Runs what `record` records and waits for it. */
async function run(device: Device, record: (recorder: Recorder) => void): Promise<Recorder["stats"]> {
  using recorder = new Recorder(device);
  record(recorder);
  using commands = recorder.finish();
  await device.wait(device.submit([commands]));
  return recorder.stats;
}

Deno.test("Recorder puts barriers between dependent dispatches only", () =>
  withDevice(async (device) => {
    using a = await floats(device, [1, 2]);
    using b = await floats(device, [0, 0]);
    using c = await floats(device, [0, 0]);
    const stats = await run(device, (recorder) => {
      addTo(recorder, a, b); // b = a
      addTo(recorder, a, c); // c = a: independent
      addTo(recorder, b, c); // c += b: reads and overwrites
      addTo(recorder, c, a); // a += c: reads c
    });
    assertEquals(stats, { dispatches: 4, barriers: 2, copies: 0 });
    assertEquals(await readFloats(device, span(a)), [3, 6]);
  }));

Deno.test("Recorder sees that two halves of a buffer do not depend on each other", () =>
  withDevice(async (device) => {
    using x = await floats(device, [5]);
    using y = await floats(device, [1, 2]);
    const stats = await run(device, (recorder) => {
      for (const half of [span(y, 0, 4), span(y, 4, 4)]) {
        recorder.dispatch(scaleAdd(device), {
          workgroups: [1, 1, 1],
          push: { x: span(x), y: half, count: 1, factor: 1 },
          reads: [span(x), half],
          writes: [half],
        });
      }
    });
    assertEquals(stats.barriers, 0);
    assertEquals(await readFloats(device, span(y)), [6, 7]);
  }));

Deno.test("Recorder orders copies and fills with dispatches", () =>
  withDevice(async (device) => {
    using x = await floats(device, [0, 0, 0]);
    using y = await floats(device, [1, 2, 3]);
    const stats = await run(device, (recorder) => {
      recorder.fill(span(x, 4, 8), 0x40000000); // 2.0
      addTo(recorder, x, y); // y = 1 4 5
      recorder.copy(span(y), span(x));
      addTo(recorder, x, y);
    });
    assertEquals(stats, { dispatches: 2, barriers: 3, copies: 2 });
    assertEquals(await readFloats(device, span(x)), [1, 4, 5]);
    assertEquals(await readFloats(device, span(y)), [2, 8, 10]);
  }));

Deno.test("command buffers that follow each other see each other's results", () =>
  withDevice(async (device) => {
    using x = await floats(device, new Float32Array(1000).fill(1));
    using y = await floats(device, new Float32Array(1000));
    using recorder = new Recorder(device);
    addTo(recorder, x, y);
    using there = recorder.finish();
    using backRecorder = new Recorder(device);
    addTo(backRecorder, y, x);
    using back = backRecorder.finish();
    device.submit([there, back, there]); // (1, 1), (2, 1), (2, 3)
    await device.wait(device.submit([back, there])); // (5, 3), (5, 8)
    assertEquals(await readFloats(device, span(x, 3996, 4)), [5]);
    assertEquals(await readFloats(device, span(y, 3996, 4)), [8]);
  }));

Deno.test("a push constant of 0 stands for no address", () =>
  withDevice(async (device) => {
    using y = await floats(device, [1, 2]);
    await run(device, (recorder) => {
      recorder.dispatch(scaleAdd(device, 0.5), {
        workgroups: [1, 1, 1],
        push: { x: 0, y: span(y), count: 2, factor: 9 },
        reads: [span(y)],
        writes: [span(y)],
      });
    });
    assertEquals(await readFloats(device, span(y)), [1.5, 2.5]);
  }));

Deno.test("a span in a push constant is the address of its first byte", () =>
  withDevice(async (device) => {
    using x = await floats(device, [1, 2, 3, 4]);
    using y = await floats(device, [0, 0]);
    await run(device, (recorder) => {
      recorder.dispatch(scaleAdd(device), {
        workgroups: [1, 1, 1],
        push: { x: span(x, 8), y: span(y), count: 2, factor: 1 },
        reads: [span(x, 8), span(y)],
        writes: [span(y)],
      });
    });
    assertEquals(await readFloats(device, span(y)), [3, 4]);
  }));

Deno.test("Recorder refuses mistakes of its caller", () =>
  withDevice(async (device) => {
    using x = await floats(device, [1]);
    using y = await floats(device, [1]);
    using recorder = new Recorder(device, { label: "mistakes" });
    const pipeline = scaleAdd(device);
    const good = {
      workgroups: [1, 1, 1] as [number, number, number],
      push: { x: span(x), y: span(y), count: 1, factor: 1 },
      reads: [span(x), span(y)],
      writes: [span(y)],
    };
    const refuses = (change: Partial<typeof good>, message: string) =>
      assertFails(() => recorder.dispatch(pipeline, { ...good, ...change }), message);
    await refuses({ workgroups: [0, 1, 1] }, "0 workgroups in x");
    await refuses({ workgroups: [1, 1.5, 1] }, "1.5 workgroups in y");
    await refuses({ workgroups: [1, 1, 2 ** 31] }, "workgroups in z");
    await refuses({ reads: [span(y)] }, "push constant x is neither among the reads nor the writes");
    await refuses({ push: { ...good.push, count: -1 } }, "-1 is not an unsigned 32-bit integer");
    await refuses({ push: { ...good.push, typo: 1 } as never }, "no push constant typo");
    await refuses(
      { push: { x: span(x), y: span(y), count: 1 } as never },
      "push constant factor of ScaleAdd is missing",
    );
    await refuses({ push: { ...good.push, x: 4096 as never } }, "push constant x of ScaleAdd is an address");
    await refuses(
      { push: { ...good.push, count: span(x) as never } },
      "push constant count of ScaleAdd is a number",
    );
    await assertFails(() => recorder.copy(span(x), span(y, 0, 2)), "copy of 4 bytes into 2");
    await assertFails(() => recorder.fill(span(x, 1, 3), 0), "whole 32-bit words");
    await assertFails(() => span(x, 2, 4), "span 2+4 lies outside floats (4 bytes)");
    using _commands = recorder.finish();
    await assertFails(() => recorder.dispatch(pipeline, good), "mistakes: recording is finished");
  }));

Deno.test("a recording keeps disposed buffers alive until it is disposed itself", () =>
  withDevice(async (device) => {
    using y = await floats(device, [1]);
    const x = await floats(device, [2]);
    using recorder = new Recorder(device);
    addTo(recorder, x, y);
    const commands = recorder.finish();
    x[Symbol.dispose]();
    using decoy = await floats(device, [100]); // would take the place of x, were it free
    assert(decoy.address !== x.address);
    await device.wait(device.submit([commands]));
    assertEquals(await readFloats(device, span(y)), [3]);
    commands[Symbol.dispose]();
    using heir = await floats(device, [7]);
    assertEquals(heir.address, x.address);
  }));

Deno.test("a buffer and commands disposed while the device still works on them are freed afterwards", () =>
  withDevice(async (device) => {
    using y = await floats(device, new Float32Array(100_000));
    {
      using x = await floats(device, new Float32Array(100_000).fill(1));
      using recorder = new Recorder(device);
      for (let i = 0; i < 20; i++) addTo(recorder, x, y);
      using commands = recorder.finish();
      device.submit([commands]);
    }
    assertEquals(await readFloats(device, span(y, 399_996)), [20]);
  }));

Deno.test("an unfinished recording is thrown away without a trace", () =>
  withDevice(async (device) => {
    using x = await floats(device, [1]);
    using recorder = new Recorder(device, { profile: true });
    addTo(recorder, x, x);
  }));

Deno.test("a profiled recording gives a time for every dispatch, under its label", () =>
  withDevice(async (device) => {
    using x = await floats(device, new Float32Array(4096));
    using recorder = new Recorder(device, { profile: true });
    for (let i = 0; i < 300; i++) addTo(recorder, x, x); // more than one pool of queries
    recorder.dispatch(scaleAdd(device), {
      workgroups: [1, 1, 1],
      push: { x: 0, y: span(x), count: 1, factor: 0 },
      reads: [],
      writes: [span(x)],
      label: "the last",
    });
    using commands = recorder.finish();
    await device.wait(device.submit([commands]));
    const times = commands.times();
    assertEquals(times.length, 301);
    assertEquals([times[0].label, times[299].label, times[300].label], [
      "scale_add",
      "scale_add",
      "the last",
    ]);
    assert(times.every(({ ns }) => ns > 0 && ns < 1e9), "times are plausible");
  }));
