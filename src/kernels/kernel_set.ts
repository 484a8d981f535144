/**
 * The kernels of one device: finds the compiled shader of a kernel and format, fixes its specialization constants and
 * hands out the pipeline. Pipelines are compiled when first asked for and kept by the device.
 */
import type { StructLayout } from "../../ffi/layout.ts";
import { assert } from "../common/assert.ts";
import type { FormatName } from "../quant/formats.ts";
import type { ComputePipeline, CoopmatShape, Device } from "../vulkan/mod.ts";
import { SHADERS } from "./shader_table.ts";
import { powerOfTwoUpTo } from "./teams.ts";

/** Names of the kernels. */
export type KernelName = keyof typeof SHADERS;

/** Names of a kernel's specialization constants that its caller chooses. */
export type KernelConstant<K extends KernelName> = Exclude<
  keyof (typeof SHADERS)[K]["constants"],
  "SUBGROUP"
>;

/** Which form of a kernel. */
export interface KernelOptions<K extends KernelName> {
  /** For kernels that read weights. */
  readonly format?: FormatName;
  /** Constants left out keep the shader's default. */
  readonly constants?: { readonly [C in KernelConstant<K>]?: number | boolean };
}

/**
 * How matrix kernels share work between lanes. `teams`: lanes read neighbouring words and sum across lanes, for GPUs.
 * `lanes`: each lane owns whole rows, for software devices whose subgroup is a CPU vector.
 */
export type Strategy = "teams" | "lanes";

/**
 * Which weights `matvec_dot` serves: none, because its many forms compile slowly on software devices; floats; or also quantized
 * ones, by integer dot products, where the device has these in hardware.
 */
export type Dots = "none" | "floats" | "all";

/** Choices that are the device's by default; tests make others. */
export interface KernelSetOptions {
  readonly strategy?: Strategy;
  readonly dots?: Dots;
  /** Lanes of a subgroup, within what the device allows. */
  readonly subgroupSize?: number;
  /** Lanes of a workgroup where the kernel has no reason for another number. */
  readonly workgroup?: number;
  /** Whether to use matrix units where the device has them; true unless `ZINC_NO_COOPMAT=1`. */
  readonly coopmat?: boolean;
  /** Workgroups that keep the device busy: large tiles are for products that have as many. */
  readonly busyWorkgroups?: number;
}

/** Nearly as many as the multiprocessors of the largest GPUs. */
const BUSY_WORKGROUPS = 96;

interface ShaderEntry {
  readonly push: StructLayout;
  readonly constants: Readonly<Record<string, number>>;
  readonly modules: Uint8Array | { readonly [F in FormatName]?: Uint8Array };
}

/** Kernels by name. */
export class KernelSet {
  readonly device: Device;
  /** How matrix kernels share work. */
  readonly strategy: Strategy;
  /** Which weights `matvec_dot` serves. */
  readonly dots: Dots;
  /** Lanes of a subgroup in every kernel that says `SUBGROUP`. */
  readonly subgroup: number;
  /** What the matrix units multiply at once; null where there are none or they are not to be used. */
  readonly coopmat: CoopmatShape | null;
  /** Workgroups that keep the device busy. */
  readonly busyWorkgroups: number;
  readonly #workgroup: number;

  /** For `device`; builds nothing yet. */
  constructor(device: Device, options: KernelSetOptions = {}) {
    const { info } = device;
    this.device = device;
    this.strategy = options.strategy ?? (info.isCpu ? "lanes" : "teams");
    const all = info.integerDotProduct === "accelerated";
    this.dots = options.dots ?? (info.isCpu ? "none" : all ? "all" : "floats");
    this.subgroup = options.subgroupSize ?? info.subgroupSize;
    this.coopmat = options.coopmat ?? Deno.env.get("ZINC_NO_COOPMAT") !== "1" ? info.coopmat : null;
    this.busyWorkgroups = options.busyWorkgroups ?? BUSY_WORKGROUPS;
    this.#workgroup = options.workgroup ?? (info.isCpu ? 32 : 128);
  }

  /** Lanes of a workgroup: a power of two, whole subgroups, not above `preferred` and the device's limit if it can be. */
  workgroup(preferred: number = this.#workgroup): number {
    const { maxWorkgroupInvocations, maxWorkgroupSize, maxWorkgroupSubgroups } = this.device.info;
    const most = Math.min(
      maxWorkgroupInvocations,
      maxWorkgroupSize[0],
      maxWorkgroupSubgroups * this.subgroup,
    );
    return Math.max(this.subgroup, powerOfTwoUpTo(Math.min(preferred, most)));
  }

  /** The pipeline of kernel `name`. */
  get<K extends KernelName>(name: K, { format, constants = {} }: KernelOptions<K> = {}): ComputePipeline {
    const shader: ShaderEntry = SHADERS[name];
    const { modules } = shader;
    const spirv = modules instanceof Uint8Array ? modules : format && modules[format];
    assert(spirv, `kernel ${name} has no form for ${format}`);
    const specialization: Record<number, number> = {};
    for (const [constant, value] of Object.entries(constants as Record<string, number | boolean>)) {
      assert(constant in shader.constants, `kernel ${name} has no constant ${constant}`);
      specialization[shader.constants[constant]] = Number(value);
    }
    const usesSubgroups = "SUBGROUP" in shader.constants;
    if (usesSubgroups) specialization[shader.constants.SUBGROUP] = this.subgroup;
    const { canControlSubgroupSize, canRequireFullSubgroups } = this.device.info;
    return this.device.pipeline({
      name: format ? `${name}.${format}` : name,
      spirv,
      specialization,
      push: shader.push,
      subgroupSize: usesSubgroups && canControlSubgroupSize ? this.subgroup : undefined,
      fullSubgroups: usesSubgroups && canRequireFullSubgroups,
    });
  }
}
