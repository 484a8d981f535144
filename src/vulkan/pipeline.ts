/**
 * Compute pipelines: a SPIR-V module with its specialization constants fixed. Kernels have no descriptor sets; all they
 * get is push constants, at most 128 bytes, in scalar layout.
 *
 * Drivers compile for up to a second per pipeline. So one that is asked for is only described; those of a recording are compiled
 * together, on several threads, while the event loop goes on.
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
  /** `VkPipeline`; compiles it, and blocks for that, unless {@linkcode PipelineBuilder.compile} has come before. */
  readonly handle: bigint;
  /** `VkPipelineLayout`. */
  readonly layout: bigint;
  /** Layout of the push constants. */
  readonly push: StructLayout;
}

/** How to compile several pipelines. */
export interface CompileOptions {
  /** Ends the work with the signal's reason once those that are being compiled are done. */
  readonly signal?: AbortSignal;
  /** Told after each pipeline how many of `total` are done. */
  readonly onProgress?: (done: number, total: number) => void;
}

const SPIRV_MAGIC = 0x07230203;
/** `ZINC_FAULT_SLOW_COMPILE_MS`: time that tests want each compilation to take besides. */
const SLOW_COMPILE = "ZINC_FAULT_SLOW_COMPILE_MS";
/** Pipelines compiled at a time: Deno's pool has 32 threads, which also serve file access. */
const THREADS_MAX = 8;

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
  readonly #pipelines = new Map<string, Pipeline>();
  readonly #layouts = new Map<number, bigint>();
  readonly #shaderIds = new Map<Uint8Array, number>();
  /** Calls of {@linkcode compile} that have threads inside the driver. */
  readonly #compiling = new Set<Promise<unknown>>();

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

  /** Whether {@linkcode compile} is at work. */
  get compiling(): boolean {
    return this.#compiling.size > 0;
  }

  /** The pipeline for `options`, not compiled yet at the first request. */
  get(options: PipelineOptions): ComputePipeline {
    const key = this.#key(options);
    let pipeline = this.#pipelines.get(key);
    if (pipeline === undefined) {
      checkSpirv(options);
      const layout = this.#layout(options.push);
      const context = { vk: this.#vk, device: this.#device, cache: this.#cache, flags: this.#flags, layout };
      pipeline = new Pipeline(context, options);
      this.#pipelines.set(key, pipeline);
    }
    return pipeline;
  }

  /** Compiles those of this builder's `pipelines` that are not yet. Nothing is left running when it fails or is aborted. */
  async compile(pipelines: Iterable<ComputePipeline>, options: CompileOptions = {}): Promise<void> {
    const { signal, onProgress } = options;
    const missing = [...new Set(pipelines)].filter((p) => p instanceof Pipeline && !p.compiled) as Pipeline[];
    if (missing.length === 0) return;
    const queue = missing.values();
    let done = 0;
    let failed = false;
    const work = async () => {
      for (const pipeline of queue) {
        if (signal?.aborted || failed) return;
        await pipeline.compile().catch((error) => {
          failed = true;
          throw error;
        });
        onProgress?.(++done, missing.length);
      }
    };
    const threads = Math.min(missing.length, THREADS_MAX, navigator.hardwareConcurrency);
    const workers = Promise.allSettled(Array.from({ length: threads }, work));
    this.#compiling.add(workers);
    const results = await workers;
    this.#compiling.delete(workers);
    const failure = results.find((result) => result.status === "rejected");
    if (failure) throw failure.reason;
    signal?.throwIfAborted();
  }

  /** Resolves when no thread compiles any more. */
  async idle(): Promise<void> {
    await Promise.all(this.#compiling);
  }

  /** Destroys every pipeline. Nothing may be compiling. */
  [Symbol.dispose](): void {
    for (const pipeline of this.#pipelines.values()) pipeline[Symbol.dispose]();
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

/** What a pipeline is made with, besides its own options. */
interface PipelineContext {
  readonly vk: VulkanFunctions;
  readonly device: bigint;
  readonly cache: bigint;
  readonly flags: number;
  readonly layout: bigint;
}

/** One pipeline, compiled or not. */
class Pipeline implements ComputePipeline, Disposable {
  readonly name: string;
  readonly push: StructLayout;
  readonly #context: PipelineContext;
  readonly #options: PipelineOptions;
  #handle = 0n;
  #pending: Promise<void> | undefined;

  constructor(context: PipelineContext, options: PipelineOptions) {
    this.#context = context;
    this.#options = options;
    this.name = options.name;
    this.push = options.push;
  }

  get layout(): bigint {
    return this.#context.layout;
  }

  get compiled(): boolean {
    return this.#handle !== 0n;
  }

  get handle(): bigint {
    if (!this.compiled) {
      const { vk, device, cache } = this.#context;
      using call = new CreateCall(this.#context, this.#options);
      this.#take(call, vk.vkCreateComputePipelines(device, cache, 1, call.info, null, call.handle));
    }
    return this.#handle;
  }

  /** Compiles on a thread of its own. */
  compile(): Promise<void> {
    return this.#pending ??= this.#compile().finally(() => this.#pending = undefined);
  }

  [Symbol.dispose](): void {
    const { vk, device } = this.#context;
    if (this.compiled) vk.vkDestroyPipeline(device, this.#handle, null);
    this.#handle = 0n;
  }

  async #compile(): Promise<void> {
    const { vk, device, cache } = this.#context;
    using call = new CreateCall(this.#context, this.#options);
    const result = await vk.vkCreateComputePipelinesAsync(device, cache, 1, call.info, null, call.handle);
    const slow = Number(Deno.env.get(SLOW_COMPILE) ?? 0);
    if (slow > 0) await new Promise((resolve) => setTimeout(resolve, slow));
    this.#take(call, result);
  }

  #take({ handle }: CreateCall, result: number): void {
    check(result, `compile kernel ${this.name}`);
    this[Symbol.dispose](); // somebody may have needed it before the thread was done
    this.#handle = readU64(handle);
  }
}

/** The arguments of one `vkCreateComputePipelines`, and the shader module that only the call needs. */
class CreateCall implements Disposable {
  readonly info: Uint8Array;
  readonly handle: Uint8Array;
  readonly #arena = new Arena();
  readonly #context: PipelineContext;
  readonly #module: bigint;

  constructor(context: PipelineContext, options: PipelineOptions) {
    const { subgroupSize, fullSubgroups } = options;
    const arena = this.#arena;
    this.#context = context;
    this.#module = this.#shaderModule(options);
    const required = subgroupSize === undefined ? null : arena.struct(
      PipelineShaderStageRequiredSubgroupSizeCreateInfo,
      { requiredSubgroupSize: subgroupSize },
    );
    this.info = arena.struct(ComputePipelineCreateInfo, {
      flags: context.flags,
      stage: {
        pNext: required,
        flags: fullSubgroups ? PIPELINE_SHADER_STAGE_CREATE.REQUIRE_FULL_SUBGROUPS : 0,
        stage: SHADER_STAGE.COMPUTE,
        module: this.#module,
        pName: arena.string("main"),
        pSpecializationInfo: specialize(arena, options.specialization ?? {}),
      },
      layout: context.layout,
      basePipelineIndex: -1,
    });
    this.handle = arena.alloc(8);
  }

  [Symbol.dispose](): void {
    this.#context.vk.vkDestroyShaderModule(this.#context.device, this.#module, null);
    this.#arena[Symbol.dispose]();
  }

  #shaderModule({ name, spirv }: PipelineOptions): bigint {
    const arena = this.#arena;
    const code = arena.alloc(spirv.byteLength); // embedded bytes need not start at a multiple of 4
    code.set(spirv);
    const handle = arena.alloc(8);
    const info = arena.struct(ShaderModuleCreateInfo, { codeSize: code.byteLength, pCode: code });
    const { vk, device } = this.#context;
    check(vk.vkCreateShaderModule(device, info, null, handle), `load kernel ${name}`);
    return readU64(handle);
  }
}

function checkSpirv({ name, spirv }: PipelineOptions): void {
  const view = new DataView(spirv.buffer, spirv.byteOffset, spirv.byteLength);
  assert(
    spirv.byteLength >= 20 && spirv.byteLength % 4 === 0 && view.getUint32(0, true) === SPIRV_MAGIC,
    `${name}: not SPIR-V`,
  );
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
