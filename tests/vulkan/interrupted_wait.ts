/** Run by timeline_test.ts in a process of its own: keeps the device busy, waits for it, and says so. */
import { Device, Instance, Recorder, span } from "../../src/vulkan/mod.ts";
import { floats, scaleAdd } from "./support.ts";

const instance = Instance.create({ validation: false });
const device = Device.create(instance.adapters()[0]);
const y = await floats(device, new Float32Array(1 << 20));
const recorder = new Recorder(device);
for (let i = 0; i < 100; i++) {
  recorder.dispatch(scaleAdd(device), {
    workgroups: [1 << 14, 1, 1],
    push: { x: span(y), y: span(y), count: 1 << 20, factor: 1 },
    reads: [span(y)],
    writes: [span(y)],
  });
}
const commands = recorder.finish();
for (let i = device.info.isCpu ? 5 : 1000; i > 0; i--) device.submit([commands]);
setTimeout(() => console.log("waiting"), 1);
await device.wait(device.submitted);
console.log("done");
