/**
 * A device that compiles pipelines and does nothing else. Drivers that stand in for hardware which is not there cannot do more: RADV's
 * null device has no semaphores and runs nothing, but its compiler is the real one.
 */
import { PIPELINE_CREATE } from "../../ffi/enums.ts";
import type {
  Adapter,
  ComputePipeline,
  Device,
  PipelineOptions,
  PipelineStatistic,
} from "../../src/vulkan/mod.ts";
import { UserError } from "../../src/common/errors.ts";
import { createLogicalDevice } from "../../src/vulkan/create_device.ts";
import { chooseQueueFamily, describeDevice, type DeviceInfo } from "../../src/vulkan/device_info.ts";
import { PipelineBuilder } from "../../src/vulkan/pipeline.ts";
import { pipelineStatistics, pipelineTexts } from "../../src/vulkan/pipeline_statistics.ts";

/** Compiles with statistics, without a cache in between. */
export class CompilerDevice implements Disposable {
  readonly info: DeviceInfo;
  readonly #adapter: Adapter;
  readonly #handle: bigint;
  readonly #pipelines: PipelineBuilder;

  /** Throws UserError where the driver keeps no statistics or lacks what zinc needs. */
  constructor(adapter: Adapter) {
    adapter.requireFloor();
    const family = chooseQueueFamily(adapter.queueFamilies);
    const { handle, enabled } = createLogicalDevice(adapter, family.index, { pipelineStatistics: true });
    this.#adapter = adapter;
    this.#handle = handle;
    this.info = describeDevice(adapter, family, enabled);
    const flags = PIPELINE_CREATE.CAPTURE_STATISTICS_KHR |
      PIPELINE_CREATE.CAPTURE_INTERNAL_REPRESENTATIONS_KHR;
    this.#pipelines = new PipelineBuilder(adapter.instance.vk, { device: handle, cache: 0n, flags });
    if (!enabled.has("pipelineExecutableInfo")) {
      this[Symbol.dispose]();
      throw new UserError(
        `Cannot read statistics: ${adapter.driverName} has no VK_KHR_pipeline_executable_properties`,
      );
    }
  }

  /** The part of a device that compiling kernels needs. */
  get device(): Device {
    const part: Pick<Device, "info" | "pipeline"> = {
      info: this.info,
      pipeline: (options: PipelineOptions): ComputePipeline => this.#pipelines.get(options),
    };
    return part as Device;
  }

  /** What the compiler says about a pipeline of this device. */
  statistics(pipeline: ComputePipeline): PipelineStatistic[] {
    return pipelineStatistics(this.#adapter.instance, this.#handle, pipeline.handle);
  }

  /** The machine code of a pipeline as text; undefined where the driver does not show it. */
  assembly(pipeline: ComputePipeline): string | undefined {
    const texts = pipelineTexts(this.#adapter.instance, this.#handle, pipeline.handle);
    return texts.find(({ name }) => /assembly/i.test(name))?.text;
  }

  [Symbol.dispose](): void {
    this.#pipelines[Symbol.dispose]();
    this.#adapter.instance.vk.vkDestroyDevice(this.#handle, null);
  }
}
