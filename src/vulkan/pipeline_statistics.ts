/**
 * What the driver's compiler made of a kernel: registers, spills, occupancy, instruction counts
 * (VK_KHR_pipeline_executable_properties). Names and units are the driver's own.
 */
import { Arena } from "../../ffi/arena.ts";
import { PIPELINE_STATISTIC_FORMATS } from "../../ffi/enums.ts";
import { extensionFunction } from "../../ffi/functions.ts";
import { enumerate } from "../../ffi/read.ts";
import {
  PipelineExecutableInfoKHR,
  PipelineExecutableInternalRepresentationKHR,
  PipelineExecutablePropertiesKHR,
  PipelineExecutableStatisticKHR,
  PipelineInfoKHR,
} from "../../ffi/structs/pipeline.ts";
import { clampedNumber } from "../../ffi/types.ts";
import type { Instance } from "./instance.ts";
import { check } from "./result.ts";

/** One figure about one executable of a pipeline. */
export interface PipelineStatistic {
  /** Name of the executable; a compute pipeline usually has one. */
  executable: string;
  /** Lanes per subgroup that it was compiled for. */
  subgroupSize: number;
  /** Name of the figure. */
  name: string;
  /** Its value. */
  value: number;
}

/** All statistics of `pipeline`, which was made on `device` with statistics captured. */
export function pipelineStatistics(
  instance: Instance,
  device: bigint,
  pipeline: bigint,
): PipelineStatistic[] {
  const statistics = extensionFunction(instance.vk, instance.handle, "vkGetPipelineExecutableStatisticsKHR");
  if (statistics === null) return [];
  using arena = new Arena();
  return executablesOf(instance, device, pipeline).flatMap((executable, executableIndex) => {
    const which = arena.struct(PipelineExecutableInfoKHR, { pipeline, executableIndex });
    return enumerate(
      PipelineExecutableStatisticKHR,
      (count, content) => check(statistics(device, which, count, content), "read a pipeline's statistics"),
    ).map((found) => ({
      executable: executable.name,
      subgroupSize: executable.subgroupSize,
      name: found.name,
      value: statisticValue(found.value, found.format),
    }));
  });
}

/** A form that a pipeline takes on its way through the compiler, as text. */
export interface PipelineText {
  /** Name by the driver: `Assembly` is RADV's for machine code. */
  name: string;
  /** The text. */
  text: string;
}

/** All texts about `pipeline`, which was made on `device` with internal representations captured. */
export function pipelineTexts(instance: Instance, device: bigint, pipeline: bigint): PipelineText[] {
  const representations = extensionFunction(
    instance.vk,
    instance.handle,
    "vkGetPipelineExecutableInternalRepresentationsKHR",
  );
  if (representations === null) return [];
  using arena = new Arena();
  return executablesOf(instance, device, pipeline).flatMap((_, executableIndex) => {
    const which = arena.struct(PipelineExecutableInfoKHR, { pipeline, executableIndex });
    const get = (count: Uint8Array, content: Uint8Array | null) =>
      check(representations(device, which, count, content), "read a pipeline's representations");
    // The lengths come first; then the same list again, with memory for the texts.
    const lengths = enumerate(PipelineExecutableInternalRepresentationKHR, get);
    if (lengths.length === 0) return [];
    const memories = lengths.map(({ dataSize }) => arena.alloc(Number(dataSize)));
    const filled = arena.structs(
      PipelineExecutableInternalRepresentationKHR,
      lengths.map(({ dataSize }, i) => ({ dataSize, pData: memories[i] })),
    );
    const count = arena.alloc(4);
    new DataView(count.buffer, count.byteOffset).setUint32(0, lengths.length, true);
    get(count, filled);
    return lengths.flatMap(({ name, isText }, i) =>
      isText ? [{ name, text: new TextDecoder().decode(memories[i]).replace(/\0.*$/s, "") }] : []
    );
  });
}

/** The compiled programs that make up a pipeline. */
function executablesOf(instance: Instance, device: bigint, pipeline: bigint) {
  const properties = extensionFunction(instance.vk, instance.handle, "vkGetPipelineExecutablePropertiesKHR");
  if (properties === null) return [];
  using arena = new Arena();
  const info = arena.struct(PipelineInfoKHR, { pipeline });
  return enumerate(
    PipelineExecutablePropertiesKHR,
    (count, content) => check(properties(device, info, count, content), "list a pipeline's executables"),
  );
}

/** Interprets the 64 bits of a `VkPipelineExecutableStatisticValueKHR`. */
export function statisticValue(bits: bigint, format: number): number {
  switch (PIPELINE_STATISTIC_FORMATS[format]) {
    case "bool32":
      return Number(bits & 1n);
    case "int64":
      return Number(BigInt.asIntN(64, bits));
    case "float64":
      return new Float64Array(new BigUint64Array([bits]).buffer)[0];
    default:
      return clampedNumber(bits);
  }
}
