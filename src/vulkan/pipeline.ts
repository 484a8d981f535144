/**
 * Compute pipelines: a SPIR-V module with its specialization constants fixed. Kernels have no descriptor sets; all they
 * get is push constants, at most 128 bytes, in scalar layout.
 */
import { Arena } from "../../ffi/arena.ts";
import { PIPELINE_CREATE, PIPELINE_SHADER_STAGE_CREATE, SHADER_STAGE } from "../../ffi/enums.ts";
import type { VulkanFunctions } from "../../ffi/functions.ts";
import type { StructLayout } from "../../ffi/layout.ts";
import { readU64 } from "../../ffi/read.ts";
import {
  ComputePipelineCreateInfo,
  PipelineLayoutCreateInfo,
  PipelineShaderStageRequiredSubgroupSizeCreateInfo,
  PushConstantRange,
  ShaderModuleCreateInfo,
  SpecializationInfo,
  SpecializationMapEntry,
} from "../../ffi/structs/pipeline.ts";
import { assert } from "../common/assert.ts";
import { MAX_PUSH_BYTES } from "./features.ts";
import { check } from "./result.ts";

/** What a pipeline is made from. */
export interface PipelineOptions {
  /** Name of the kernel, for messages and profiles. */
  name: string;
  /** The compiled shader, entry point `main`. The same array object stands for the same shader. */
  spirv: Uint8Array;
  /** Values of specialization constants by their id, as 32-bit patterns; see {@linkcode f32Bits}. */
  specialization?: Record<number, number>;
  /** Layout of the push constants. 64-bit fields are addresses. */
  push: StructLayout;
  /** Lanes per subgroup; only where `device.info.canControlSubgroupSize`, within the device's range. */
  subgroupSize?: number;
  /** Promise that the workgroup's x size is a multiple of the subgroup size, so that no lane is ever missing. */
  fullSubgroups?: boolean;
}

/** A pipeline that belongs to its device. */
export interface ComputePipeline {
  /** Name of the kernel. */
  readonly name: string;
  /** `VkPipeline`. */
  readonly handle: bigint;
  /** `VkPipelineLayout`. */
  readonly layout: bigint;
  /** Layout of the push constants. */
  readonly push: StructLayout;
}

const SPIRV_MAGIC = 0x07230203;

/** The bits of a float, for a specialization constant of that type. */
export function f32Bits(value: number): number {
  return new Uint32Array(new Float32Array([value]).buffer)[0];
}

/** Builds pipelines and keeps them, so that each is compiled once. */
export class PipelineBuilder implements Disposable {
  readonly #vk: VulkanFunctions;
  readonly #device: bigint;
  readonly #cache: bigint;
  readonly #flags: number;
  readonly #pipelines = new Map<string, ComputePipeline>();
  readonly #layouts = new Map<number, bigint>();
  readonly #shaderIds = new Map<Uint8Array, number>();

  /** `cache` is a `VkPipelineCache` or 0; `flags` are `VkPipelineCreateFlags`. */
  constructor(vk: VulkanFunctions, options: { device: bigint; cache: bigint; flags: number }) {
    this.#vk = vk;
    this.#device = options.device;
    this.#cache = options.cache;
    this.#flags = options.flags;
  }

  /** Whether the driver was asked to keep compiler statistics. */
  get keepsStatistics(): boolean {
    return (this.#flags & PIPELINE_CREATE.CAPTURE_STATISTICS_KHR) !== 0;
  }

  /** The pipeline for `options`, compiled at the first request. */
  get(options: PipelineOptions): ComputePipeline {
    const key = this.#key(options);
    let pipeline = this.#pipelines.get(key);
    if (pipeline === undefined) {
      pipeline = this.#build(options);
      this.#pipelines.set(key, pipeline);
    }
    return pipeline;
  }

  /** Destroys every pipeline. */
  [Symbol.dispose](): void {
    for (const { handle } of this.#pipelines.values()) this.#vk.vkDestroyPipeline(this.#device, handle, null);
    for (const layout of this.#layouts.values()) this.#vk.vkDestroyPipelineLayout(this.#device, layout, null);
    this.#pipelines.clear();
    this.#layouts.clear();
  }

  #key(
    { spirv, push, specialization = {}, subgroupSize = 0, fullSubgroups = false }: PipelineOptions,
  ): string {
    let shader = this.#shaderIds.get(spirv);
    if (shader === undefined) this.#shaderIds.set(spirv, shader = this.#shaderIds.size);
    return JSON.stringify([shader, push.name, push.bytes, specialization, subgroupSize, fullSubgroups]);
  }

  #build(options: PipelineOptions): ComputePipeline {
    const { name, push, subgroupSize, fullSubgroups } = options;
    const vk = this.#vk;
    const layout = this.#layout(push);
    using arena = new Arena();
    const module = this.#shaderModule(options, arena);
    const required = subgroupSize === undefined ? null : arena.struct(
      PipelineShaderStageRequiredSubgroupSizeCreateInfo,
      { requiredSubgroupSize: subgroupSize },
    );
    const info = arena.struct(ComputePipelineCreateInfo, {
      flags: this.#flags,
      stage: {
        pNext: required,
        flags: fullSubgroups ? PIPELINE_SHADER_STAGE_CREATE.REQUIRE_FULL_SUBGROUPS : 0,
        stage: SHADER_STAGE.COMPUTE,
        module,
        pName: arena.string("main"),
        pSpecializationInfo: specialize(arena, options.specialization ?? {}),
      },
      layout,
      basePipelineIndex: -1,
    });
    const handle = arena.alloc(8);
    try {
      check(
        vk.vkCreateComputePipelines(this.#device, this.#cache, 1, info, null, handle),
        `compile kernel ${name}`,
      );
    } finally {
      vk.vkDestroyShaderModule(this.#device, module, null);
    }
    return { name, handle: readU64(handle), layout, push };
  }

  #shaderModule({ name, spirv }: PipelineOptions, arena: Arena): bigint {
    const view = new DataView(spirv.buffer, spirv.byteOffset, spirv.byteLength);
    assert(
      spirv.byteLength >= 20 && spirv.byteLength % 4 === 0 && view.getUint32(0, true) === SPIRV_MAGIC,
      `${name}: not SPIR-V`,
    );
    const code = arena.alloc(spirv.byteLength); // embedded bytes need not start at a multiple of 4
    code.set(spirv);
    const handle = arena.alloc(8);
    const info = arena.struct(ShaderModuleCreateInfo, { codeSize: code.byteLength, pCode: code });
    check(this.#vk.vkCreateShaderModule(this.#device, info, null, handle), `load kernel ${name}`);
    return readU64(handle);
  }

  #layout(push: StructLayout): bigint {
    assert(
      push.bytes <= MAX_PUSH_BYTES,
      `${push.name} has ${push.bytes} bytes, more than push constants may have`,
    );
    let layout = this.#layouts.get(push.bytes);
    if (layout === undefined) {
      using arena = new Arena();
      const ranges = push.bytes === 0
        ? []
        : [{ stageFlags: SHADER_STAGE.COMPUTE, offset: 0, size: push.bytes }];
      const info = arena.struct(PipelineLayoutCreateInfo, {
        pushConstantRangeCount: ranges.length,
        pPushConstantRanges: arena.structs(PushConstantRange, ranges),
      });
      const handle = arena.alloc(8);
      check(this.#vk.vkCreatePipelineLayout(this.#device, info, null, handle), "create a pipeline layout");
      this.#layouts.set(push.bytes, layout = readU64(handle));
    }
    return layout;
  }
}

function specialize(arena: Arena, constants: Record<number, number>): Uint8Array | null {
  const entries = Object.entries(constants);
  if (entries.length === 0) return null;
  const data = arena.alloc(entries.length * 4);
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  entries.forEach(([, value], i) =>
    value < 0 ? view.setInt32(i * 4, value, true) : view.setUint32(i * 4, value, true)
  );
  return arena.struct(SpecializationInfo, {
    mapEntryCount: entries.length,
    pMapEntries: arena.structs(
      SpecializationMapEntry,
      entries.map(([id], i) => ({ constantID: Number(id), offset: i * 4, size: 4 })),
    ),
    dataSize: data.byteLength,
    pData: data,
  });
}
