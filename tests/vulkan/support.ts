/** What the device tests share: an instance with the validation layer, a device, and the test kernels. */
import { struct } from "../../ffi/layout.ts";
import { f32, u32, u64 } from "../../ffi/types.ts";
import {
  type ComputePipeline,
  Device,
  type DeviceBuffer,
  type DeviceOptions,
  f32Bits,
  Instance,
  type Span,
  span,
  Uploader,
  validationAvailable,
} from "../../src/vulkan/mod.ts";
import { assertEquals } from "../support/assert.ts";

const shader = (name: string) => Deno.readFileSync(new URL(`shaders/${name}.spv`, import.meta.url));

/** Kernel `y[i] = factor * x[i] + y[i] + ADDEND`; see shaders/scale_add.comp. */
export const SCALE_ADD = {
  spirv: shader("scale_add"),
  push: struct("ScaleAdd", { x: u64, y: u64, count: u32, factor: f32 }),
};

/** Kernel that reports its subgroup size; see shaders/subgroup_size.comp. */
export const SUBGROUP_SIZE = {
  spirv: shader("subgroup_size"),
  push: struct("SubgroupSize", { result: u64 }),
};

/** Runs `body` with a device, then asserts that nothing is left over and that the validation layer is content. */
export async function withDevice(
  body: (device: Device) => Promise<void> | void,
  options: DeviceOptions = {},
): Promise<void> {
  const instance = Instance.create({ validation: validationAvailable() });
  try {
    await using device = Device.create(instance.adapters()[0], options);
    await body(device);
    assertEquals(device.liveObjects, 0, "objects were left behind");
    if (!device.lost) {
      await device.wait(device.submit([]));
      assertEquals(device.allocatedBytes, 0, "device memory was left behind");
    }
  } finally {
    instance[Symbol.dispose]();
  }
  assertEquals(instance.validationMessages, []);
}

/** The kernel scale_add with 64 invocations per workgroup. */
export function scaleAdd(device: Device, addend = 0): ComputePipeline {
  return device.pipeline({ name: "scale_add", ...SCALE_ADD, specialization: { 0: 64, 1: f32Bits(addend) } });
}

/** A buffer of activations that holds `values`. */
export async function floats(
  device: Device,
  values: ArrayLike<number>,
  label = "floats",
): Promise<DeviceBuffer> {
  const buffer = device.createBuffer({ bytes: values.length * 4, kind: "activations", label });
  using uploader = new Uploader(device);
  await uploader.write(span(buffer), new Uint8Array(Float32Array.from(values).buffer));
  return buffer;
}

/** The values of a buffer. */
export async function readFloats(device: Device, part: Span): Promise<number[]> {
  return Array.from(new Float32Array((await device.readback(part)).buffer));
}

/** Runs `body` with environment variables set, and puts back what was there. */
export async function withEnv<T>(variables: Record<string, string>, body: () => Promise<T> | T): Promise<T> {
  const before = Object.keys(variables).map((name) => [name, Deno.env.get(name)] as const);
  try {
    for (const [name, value] of Object.entries(variables)) Deno.env.set(name, value);
    return await body();
  } finally {
    for (const [name, value] of before) {
      value === undefined ? Deno.env.delete(name) : Deno.env.set(name, value);
    }
  }
}
