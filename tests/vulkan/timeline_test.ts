import { type CommandBuffer, Recorder, span } from "../../src/vulkan/mod.ts";
import type { Device } from "../../src/vulkan/device.ts";
import { assert, assertEquals, assertFails } from "../support/assert.ts";
import { floats, readFloats, scaleAdd, withDevice, withEnv } from "./support.ts";

/** Commands that do nothing. */
function nothing(device: Device): CommandBuffer {
  using recorder = new Recorder(device);
  return recorder.finish();
}

Deno.test("submit() counts up, and the timeline follows", () =>
  withDevice(async (device) => {
    using commands = nothing(device);
    assertEquals([device.submitted, device.completed()], [0, 0]);
    assertEquals([device.submit([commands]), device.submit([]), device.submit([commands, commands])], [
      1,
      2,
      3,
    ]);
    await device.wait(2);
    assert(device.completed() >= 2);
    await device.wait(3);
    assertEquals([device.submitted, device.completed()], [3, 3]);
  }));

Deno.test("many submissions may be ahead of the host, and run in order", () =>
  withDevice(async (device) => {
    using y = await floats(device, [1]);
    const step = (factor: number) => {
      using recorder = new Recorder(device);
      recorder.dispatch(scaleAdd(device), {
        workgroups: [1, 1, 1],
        push: { x: span(y), y: span(y), count: 1, factor },
        reads: [span(y)],
        writes: [span(y)],
      });
      return recorder.finish();
    };
    using double = step(1);
    using triple = step(2);
    for (let i = 0; i < 8; i++) device.submit([i % 2 === 0 ? double : triple]);
    await device.wait(device.submitted);
    assertEquals(await readFloats(device, span(y)), [6 ** 4]);
  }));

Deno.test("wait() refuses a value that nothing will ever signal", () =>
  withDevice(async (device) => {
    await assertFails(() => device.wait(1), "waiting for submission 1, but only 0 were made");
  }));

Deno.test("timers and file reads go on while many waits are pending", () =>
  withDevice(async (device) => {
    using y = await floats(device, new Float32Array(1 << 20));
    using recorder = new Recorder(device);
    for (let i = 0; i < 40; i++) {
      recorder.dispatch(scaleAdd(device), {
        workgroups: [1 << 14, 1, 1],
        push: { x: span(y), y: span(y), count: 1 << 20, factor: 1 },
        reads: [span(y)],
        writes: [span(y)],
      });
    }
    using commands = recorder.finish();
    for (let i = device.info.isCpu ? 1 : 200; i > 0; i--) device.submit([commands]); // for long enough
    const value = device.submitted;
    const order: string[] = [];
    const waits = Promise.all(Array.from({ length: 64 }, () => device.wait(value))).then(() =>
      order.push("wait")
    );
    const read = Deno.readTextFile(new URL(import.meta.url)).then(() => order.push("read"));
    const timer = new Promise((resolve) => setTimeout(resolve, 1)).then(() => order.push("timer"));
    await Promise.all([waits, read, timer]);
    assertEquals(order.at(-1), "wait");
  }));

Deno.test("wait() ends when its signal is aborted, and the device goes on", () =>
  withEnv({ ZINC_FAULT_SLOW_SUBMIT_MS: "400" }, () =>
    withDevice(async (device) => {
      using commands = nothing(device);
      const value = device.submit([commands]);
      const controller = new AbortController();
      setTimeout(() => controller.abort(new Error("stopped by the user")), 5);
      await assertFails(() => device.wait(value, { signal: controller.signal }), "stopped by the user");
      assert(device.completed() < value, "the wait ended early");
      await assertFails(
        () => device.wait(value, { signal: AbortSignal.abort(new Error("at once")) }),
        "at once",
      );
      await device.wait(value);
    })));

Deno.test("a slow device completes in order (scripted by ZINC_FAULT_SLOW_SUBMIT_MS)", () =>
  withEnv({ ZINC_FAULT_SLOW_SUBMIT_MS: "20" }, () =>
    withDevice(async (device) => {
      using commands = nothing(device);
      const first = device.submit([commands]);
      const second = device.submit([commands]);
      assertEquals(device.completed(), 0);
      await device.wait(first);
      assertEquals(device.completed(), first);
      await device.wait(second);
    })));

Deno.test("a device lost at a submission fails with a hint from then on (scripted by ZINC_FAULT_DEVICE_LOST_AT_SUBMIT)", () =>
  withEnv({ ZINC_FAULT_DEVICE_LOST_AT_SUBMIT: "3" }, () =>
    withDevice(async (device) => {
      using commands = nothing(device);
      using buffer = device.createBuffer({ bytes: 16, kind: "activations", label: "data" });
      device.submit([commands]);
      const value = device.submit([commands]);
      const error = await assertFails(
        () => device.submit([commands]),
        /^Cannot go on: the device ".*" was lost .*lower --ubatch, and look for driver errors with dmesg$/,
      );
      assertEquals([error.name, device.lost], ["DeviceLostError", true]);
      await assertFails(() => device.submit([commands]), "was lost");
      await assertFails(() => device.wait(value), "was lost");
      await assertFails(() => device.readback(span(buffer)), "was lost");
    })));

Deno.test("SIGTERM during a wait ends the process as a signal does, not with a crash", async () => {
  const script = new URL("interrupted_wait.ts", import.meta.url).pathname;
  const child = new Deno.Command(Deno.execPath(), { args: ["run", "-A", script], stdout: "piped" }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  assertEquals(new TextDecoder().decode(value), "waiting\n");
  child.kill("SIGTERM");
  const { code, signal } = await child.status;
  assertEquals([code, signal], [143, "SIGTERM"]);
  await reader.cancel();
});
