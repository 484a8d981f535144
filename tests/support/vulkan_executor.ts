/**
 * The Vulkan executor of the model tests: one device and one set of kernels for all tests of a file, since a software driver compiles
 * slowly. After the last test the validation layer must have been silent and nothing may be left over.
 */
import { DeviceWeights } from "../../src/graph/device_weights.ts";
import {
  VulkanEngine,
  type VulkanEngineOptions,
  type VulkanResources,
} from "../../src/inference/vulkan_engine.ts";
import { KernelSet, type KernelSetOptions } from "../../src/kernels/kernel_set.ts";
import type { OpenModel } from "../../src/models/open_model.ts";
import { Device, Instance, validationAvailable } from "../../src/vulkan/mod.ts";
import { assertEquals } from "./assert.ts";

interface Shared {
  readonly instance: Instance;
  readonly device: Device;
  readonly kernels: KernelSet;
}

let shared: Shared | undefined;

/** The device of this test file, opened when first needed. */
export function sharedDevice(): Shared {
  if (shared) return shared;
  const instance = Instance.create({ validation: validationAvailable() });
  const device = Device.create(instance.adapters()[0]);
  return shared = { instance, device, kernels: new KernelSet(device) };
}

Deno.test.afterAll(async () => {
  if (!shared) return;
  const { instance, device } = shared;
  shared = undefined;
  const { liveObjects } = device;
  await device[Symbol.asyncDispose]();
  instance[Symbol.dispose]();
  assertEquals(liveObjects, 0, "objects were left behind");
  assertEquals(instance.validationMessages, []);
});

/** The weights of `model` on the shared device; engines over them must be disposed first. */
export async function uploadWeights(
  model: OpenModel,
  kernelOptions?: KernelSetOptions,
): Promise<VulkanResources & Disposable> {
  const { device } = sharedDevice();
  const kernels = kernelOptions ? new KernelSet(device, kernelOptions) : sharedDevice().kernels;
  const { weights: tensors, constants } = model.tensors;
  const weights = await DeviceWeights.upload(device, model.file, tensors.values(), constants.values());
  return { device, kernels, weights, [Symbol.dispose]: () => weights[Symbol.dispose]() };
}

/** An engine on the shared device that owns the weights of its model. */
export async function openVulkanEngine(
  model: OpenModel,
  ubatch: number,
  options: VulkanEngineOptions & { readonly kernels?: KernelSetOptions } = {},
): Promise<VulkanEngine> {
  return new OwningEngine(model, await uploadWeights(model, options.kernels), ubatch, options);
}

class OwningEngine extends VulkanEngine {
  readonly #weights: DeviceWeights;

  constructor(...args: ConstructorParameters<typeof VulkanEngine>) {
    super(...args);
    this.#weights = args[1].weights;
  }

  override [Symbol.dispose](): void {
    super[Symbol.dispose]();
    this.#weights[Symbol.dispose]();
  }
}
