import { Recorder, span } from "../../src/vulkan/mod.ts";
import { assertEquals } from "../support/assert.ts";
import { floats, readFloats, scaleAdd, withDevice } from "./support.ts";

Deno.test("a recorded dispatch computes on the device and can be replayed", () =>
  withDevice(async (device) => {
    using x = await floats(device, [1, 2, 3]);
    using y = await floats(device, [10, 20, 30]);
    using recorder = new Recorder(device);
    recorder.dispatch(scaleAdd(device), {
      workgroups: [1, 1, 1],
      push: { x: span(x), y: span(y), count: 3, factor: 2 },
      reads: [span(x), span(y)],
      writes: [span(y)],
    });
    using commands = recorder.finish();
    await device.wait(device.submit([commands]));
    assertEquals(await readFloats(device, span(y)), [12, 24, 36]);
    await device.wait(device.submit([commands, commands]));
    assertEquals(await readFloats(device, span(y)), [16, 32, 48]);
  }));
