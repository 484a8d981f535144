import { struct } from "../../ffi/layout.ts";
import { array, u32 } from "../../ffi/types.ts";
import { Device, Instance, Recorder, span, Uploader } from "../../src/vulkan/mod.ts";
import { assert, assertEquals, assertFails } from "../support/assert.ts";
import { floats, readFloats, SCALE_ADD, scaleAdd, SUBGROUP_SIZE, withDevice } from "./support.ts";

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

Deno.test("the adapter describes itself", () => {
  using instance = Instance.create({ validation: false });
  const [adapter] = instance.adapters();
  assert(adapter.name.length > 0);
  assert(["discrete", "integrated", "virtual", "cpu", "other"].includes(adapter.type));
  assertEquals(adapter.missing, []);
  assert(/^[0-9a-f]{32}$/.test(adapter.uuid));
  assert(adapter.driverName.length > 0);
  assert(adapter.limits.maxPushConstantsSize >= 128);
  assert(adapter.subgroup.min <= adapter.subgroup.size && adapter.subgroup.size <= adapter.subgroup.max);
  const { total, free } = adapter.memoryBudget();
  assert(total > 0 && free >= 0 && free <= total);
});

Deno.test("Device.create() names the feature that an adapter lacks", async () => {
  using instance = Instance.create({ validation: false });
  const [adapter] = instance.adapters();
  adapter.features.shaderFloat16 = false;
  await assertFails(
    () => Device.create(adapter),
    "it lacks shaderFloat16; update the driver or choose another device",
  );
});

Deno.test("pipeline() compiles each kernel once for the same constants", () =>
  withDevice((device) => {
    assert(scaleAdd(device) === scaleAdd(device));
    assert(scaleAdd(device) !== scaleAdd(device, 1));
  }));

Deno.test("pipeline() asks for a subgroup size that the device has, and no other", () =>
  withDevice(async (device) => {
    const { canControlSubgroupSize, canRequireFullSubgroups, maxSubgroupSize } = device.info;
    const options = { name: "subgroup_size", ...SUBGROUP_SIZE, specialization: { 0: maxSubgroupSize } };
    await assertFails(
      () => device.pipeline({ ...options, subgroupSize: maxSubgroupSize * 2 }),
      "cannot be had",
    );
    const pipeline = device.pipeline({
      ...options,
      subgroupSize: canControlSubgroupSize ? maxSubgroupSize : undefined,
      fullSubgroups: canRequireFullSubgroups,
    });
    using result = await floats(device, [0, 0]);
    using recorder = new Recorder(device);
    recorder.dispatch(pipeline, {
      workgroups: [1, 1, 1],
      push: { result: span(result) },
      reads: [],
      writes: [span(result)],
    });
    using commands = recorder.finish();
    device.submit([commands]);
    const [size, lanes] = new Uint32Array((await device.readback(span(result))).buffer);
    if (canControlSubgroupSize) assertEquals(size, maxSubgroupSize);
    assertEquals(lanes, size);
  }));

Deno.test("a device without an optional feature does not offer it", () =>
  withDevice(async (device) => {
    const { canControlSubgroupSize, canRequireFullSubgroups, integerDotProduct, coopmat } = device.info;
    assertEquals([canControlSubgroupSize, canRequireFullSubgroups, integerDotProduct, coopmat], [
      false,
      false,
      "none",
      null,
    ]);
    const { subgroupSize } = device.info;
    await assertFails(
      () => device.pipeline({ name: "any", ...SUBGROUP_SIZE, subgroupSize }),
      "cannot be had",
    );
  }, {
    without: ["subgroupSizeControl", "computeFullSubgroups", "shaderIntegerDotProduct", "cooperativeMatrix"],
  }));

Deno.test("pipeline() refuses bytes that are not SPIR-V, and push constants above 128 bytes", () =>
  withDevice(async (device) => {
    const { push } = SCALE_ADD;
    await assertFails(
      () => device.pipeline({ name: "text", spirv: new Uint8Array(64).fill(65), push }),
      "text: not SPIR-V",
    );
    await assertFails(
      () => device.pipeline({ name: "none", spirv: new Uint8Array(0), push }),
      "none: not SPIR-V",
    );
    const large = struct("Large", { values: array(u32, 33) });
    await assertFails(
      () => device.pipeline({ ...SCALE_ADD, name: "large", push: large }),
      "Large has 132 bytes",
    );
  }));

Deno.test("data goes through staging buffers and back where device memory is not mapped", () =>
  withDevice(async (device) => {
    const data = new Uint8Array(100_003).map((_, i) => i * 7);
    using buffer = device.createBuffer({ bytes: 100_016, kind: "weights", label: "data" });
    assertEquals(buffer.mapped, null);
    const pieces: number[] = [];
    using uploader = new Uploader(device, { chunkBytes: 16_384, slots: 2 });
    await uploader.upload(span(buffer, 12, data.length), (into, offset) => {
      pieces.push(into.length);
      into.set(data.subarray(offset, offset + into.length));
    });
    assertEquals(await device.readback(span(buffer, 12, data.length)), data);
    assertEquals(pieces, [16384, 16384, 16384, 16384, 16384, 16384, 1699]);
  }, { mapDeviceMemory: false }));

Deno.test("small pieces share one submission, and parts of a piece go to different places", () =>
  withDevice(async (device) => {
    using buffer = device.createBuffer({ bytes: 1000, kind: "weights", label: "data" });
    using uploader = new Uploader(device, { chunkBytes: 4096 });
    for (let i = 0; i < 97; i++) {
      await uploader.add(span(buffer, i * 10, 10), (into) => void into.fill(i));
    }
    await uploader.stage(30, (into) => into.forEach((_, i) => into[i] = 200 + i), [
      { from: 0, to: span(buffer, 990, 10) },
      { from: 16, to: span(buffer, 971, 14) },
    ]);
    assertEquals(device.submitted, 0);
    uploader.flush();
    uploader.flush();
    assertEquals(device.submitted, 1);
    const data = await device.readback(span(buffer));
    assertEquals(data.subarray(0, 970), new Uint8Array(970).map((_, i) => Math.floor(i / 10)));
    assertEquals([...data.subarray(971, 985)], Array.from({ length: 14 }, (_, i) => 216 + i));
    assertEquals([...data.subarray(990)], Array.from({ length: 10 }, (_, i) => 200 + i));
  }, { mapDeviceMemory: false }));

Deno.test("an uploader that is disposed drops what was not flushed", () =>
  withDevice(async (device) => {
    using buffer = device.createBuffer({ bytes: 1000, kind: "weights", label: "data" });
    using uploader = new Uploader(device);
    await uploader.add(span(buffer), (into) => void into.fill(1));
    uploader[Symbol.dispose]();
    assertEquals(device.submitted, 0);
  }, { mapDeviceMemory: false }));

Deno.test("data is written straight into device memory where it is mapped", () =>
  withDevice(async (device) => {
    if (!device.info.sharesHostMemory) return;
    using buffer = device.createBuffer({ bytes: 1000, kind: "weights", label: "data" });
    const before = device.allocatedBytes;
    using uploader = new Uploader(device, { chunkBytes: 300 });
    await uploader.upload(span(buffer, 100, 900), (into, offset) => {
      into.forEach((_, i) => into[i] = (offset + i) % 251);
    });
    assertEquals(buffer.mapped!.subarray(100), new Uint8Array(900).map((_, i) => i % 251));
    assertEquals(await device.readback(span(buffer, 999)), new Uint8Array([899 % 251]));
    assertEquals(device.allocatedBytes, before, "no staging buffer was made");
  }));

Deno.test("an upload whose source fails leaves nothing behind", () =>
  withDevice(async (device) => {
    using buffer = device.createBuffer({ bytes: 1000, kind: "weights", label: "data" });
    using uploader = new Uploader(device, { chunkBytes: 300 });
    const failing = (_into: Uint8Array, offset: number) => {
      if (offset === 600) throw new Error("disk error");
    };
    await assertFails(() => uploader.upload(span(buffer), failing), "disk error");
  }, { mapDeviceMemory: false }));

Deno.test("objects may be disposed after their device", async () => {
  using instance = Instance.create({ validation: false });
  const device = Device.create(instance.adapters()[0]);
  using x = await floats(device, [1]);
  using recorder = new Recorder(device, { profile: true });
  using other = new Recorder(device);
  other.fill(span(x), 0);
  using commands = other.finish();
  device.submit([commands]);
  recorder.fill(span(x), 0);
  device[Symbol.dispose]();
  device[Symbol.dispose]();
});
