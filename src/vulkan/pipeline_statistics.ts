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
  const properties = extensionFunction(instance.vk, instance.handle, "vkGetPipelineExecutablePropertiesKHR");
  const statistics = extensionFunction(instance.vk, instance.handle, "vkGetPipelineExecutableStatisticsKHR");
  if (properties === null || statistics === null) return [];
  using arena = new Arena();
  const info = arena.struct(PipelineInfoKHR, { pipeline });
  return enumerate(
    PipelineExecutablePropertiesKHR,
    (count, content) => check(properties(device, info, count, content), "list a pipeline's executables"),
  ).flatMap((executable, index) => {
    const which = arena.struct(PipelineExecutableInfoKHR, { pipeline, executableIndex: index });
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
