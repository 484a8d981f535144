/**
 * The figures of a pipeline under common names. Every driver reports its own (VK_KHR_pipeline_executable_properties leaves
 * names to them); what one does not report stays undefined, except that a driver silent about spills is taken to have none.
 */
import type { PipelineStatistic } from "../../src/vulkan/mod.ts";

/** What is known about a compiled pipeline. */
export interface Figures {
  readonly subgroupSize: number;
  /** Registers per lane. */
  readonly registers?: number;
  /** Registers that did not fit. */
  readonly spilled: number;
  /** Memory per lane for what does not fit or is indexed, bytes. */
  readonly scratchBytes: number;
  /** Memory of a workgroup, bytes. */
  readonly sharedBytes?: number;
  /** Subgroups that a SIMD unit holds at once. */
  readonly occupancy?: number;
  readonly instructions?: number;
  /** Estimated cycles of one subgroup from start to end, each instruction taken once. */
  readonly latency?: number;
  /** Estimated cycles between the ends of two subgroups when all are busy. */
  readonly inverseThroughput?: number;
  /** Vector arithmetic instructions. */
  readonly valu?: number;
  /** Loads from global memory in the machine code, and those of 16 bytes. */
  readonly loads?: number;
  readonly loads16?: number;
  /** Packed integer or float dot products in the machine code. */
  readonly dots?: number;
  /** Matrix instructions in the machine code. */
  readonly matrices?: number;
  /** Everything, under the driver's own names. */
  readonly reported: Readonly<Record<string, number>>;
}

/** Names by RADV, by NVIDIA's driver, by Intel's (Mesa) and by lavapipe, in this order of preference. */
const NAMES = {
  registers: ["VGPRs", "Register Count", "GRF registers"],
  spilled: ["Spilled SGPRs", "Spilled VGPRs", "Spill count"],
  scratch: ["Scratch size", "Scratch Memory Size", "Local Memory Size"],
  shared: ["LDS size", "Shared Memory Usage", "Workgroup Memory Size"],
  occupancy: ["Subgroups per SIMD"],
  instructions: ["Instructions", "Instruction Count"],
  latency: ["Latency", "Cycle Count"],
  inverseThroughput: ["Inverse Throughput"],
  valu: ["VALU"],
} as const;

/** Patterns of AMD's instruction names (GFX10 to GFX12). */
const ASSEMBLY = {
  loads: /\b(?:global|flat|buffer)_load_\w+/g,
  loads16: /\b(?:global|flat|buffer)_load_(?:b128|dwordx4)\b/g,
  dots: /\bv_dot\d\w*/g,
  matrices: /\bv_s?wmma\w*/g,
} as const;

/** Brings what the driver reports under common names. */
export function figuresOf(statistics: readonly PipelineStatistic[], assembly?: string): Figures {
  const reported = Object.fromEntries(statistics.map(({ name, value }) => [name, value]));
  const values = (names: readonly string[]) =>
    names.filter((name) => name in reported).map((name) => reported[name]);
  const first = (names: readonly string[]) => values(names).at(0);
  const sum = (names: readonly string[]) => values(names).reduce((total, value) => total + value, 0);
  const count = (pattern: RegExp) =>
    assembly === undefined ? undefined : assembly.match(pattern)?.length ?? 0;
  return {
    subgroupSize: statistics.at(0)?.subgroupSize ?? 0,
    registers: first(NAMES.registers),
    spilled: sum(NAMES.spilled),
    scratchBytes: first(NAMES.scratch) ?? 0,
    sharedBytes: first(NAMES.shared),
    occupancy: first(NAMES.occupancy),
    instructions: first(NAMES.instructions),
    latency: first(NAMES.latency),
    inverseThroughput: first(NAMES.inverseThroughput),
    valu: first(NAMES.valu),
    loads: count(ASSEMBLY.loads),
    loads16: count(ASSEMBLY.loads16),
    dots: count(ASSEMBLY.dots),
    matrices: count(ASSEMBLY.matrices),
    reported,
  };
}
