/** Compiler statistics: which pipelines a model can ask for, and figures under common names. */
import { openModel } from "../../src/models/open_model.ts";
import { type ComputePipeline, type Device, type PipelineOptions } from "../../src/vulkan/mod.ts";
import { chosenPipelines } from "../../tools/shader_stats/chosen_pipelines.ts";
import { figuresOf } from "../../tools/shader_stats/figures.ts";
import { assert, assertEquals } from "../support/assert.ts";
import { goldenModel } from "../support/golden.ts";
import { openVulkanEngine, sharedDevice } from "../support/vulkan_executor.ts";

/** The shared device, except that its pipelines are never compiled. */
function deviceWithoutCompiler(): Device {
  const pipelines = new Map<string, ComputePipeline>();
  const part: Pick<Device, "info" | "pipeline"> = {
    info: sharedDevice().device.info,
    pipeline({ name, spirv, specialization, push }: PipelineOptions) {
      const key = `${name} ${spirv.length} ${JSON.stringify(specialization)}`;
      if (!pipelines.has(key)) pipelines.set(key, { name, handle: 0n, layout: 0n, push });
      return pipelines.get(key)!;
    },
  };
  return part as Device;
}

Deno.test("chosenPipelines() counts the dispatches of a token that the recorded plan has", async () => {
  using model = openModel(goldenModel("llama_q4_k_m"), 256);
  const chosen = chosenPipelines(model, deviceWithoutCompiler());
  using engine = await openVulkanEngine(model, 16);
  await engine.feedTrace(0, 1);
  const advance = 1; // of the trace, which takes the sampler's place
  assertEquals(
    chosen.reduce((sum, { decodeDispatches }) => sum + decodeDispatches, 0),
    engine.counters.dispatches - advance,
  );
});

Deno.test("chosenPipelines() names each pipeline once, those of the sampler included", () => {
  using model = openModel(goldenModel("llama_q4_k_m"), 256);
  const chosen = chosenPipelines(model, deviceWithoutCompiler());
  assertEquals(new Set(chosen.map(({ pipeline }) => pipeline)).size, chosen.length);
  const kernels = new Set(chosen.map(({ kernel }) => kernel));
  for (
    const kernel of [
      "embed.q4_k",
      "sample_max",
      "sample_top",
      "sample_select",
      "sample_draw",
    ]
  ) {
    assert(kernels.has(kernel), kernel);
  }
});

const statistic = (name: string, value: number) => ({ executable: "compute", subgroupSize: 64, name, value });

Deno.test("figuresOf() reads what RADV reports, and its machine code", () => {
  const figures = figuresOf(
    [
      statistic("VGPRs", 96),
      statistic("Spilled SGPRs", 2),
      statistic("Spilled VGPRs", 3),
      statistic("Scratch size", 512),
      statistic("LDS size", 18432),
      statistic("Subgroups per SIMD", 8),
      statistic("Instructions", 717),
      statistic("Latency", 71173),
      statistic("Inverse Throughput", 18357),
    ],
    `
    global_load_b128 v[4:7], v[0:1], off offset:16
    global_load_dwordx4 v[4:7], v[0:1], off
    global_load_u16 v2, v[0:1], off
    v_dot4_i32_iu8 v8, v4, v5, v8 neg_lo:[1,1,0]
    v_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]
  `,
  );
  const { subgroupSize, registers, spilled, scratchBytes, sharedBytes, occupancy, instructions } = figures;
  assertEquals([subgroupSize, registers, spilled, scratchBytes], [64, 96, 5, 512]);
  assertEquals([sharedBytes, occupancy, instructions], [18432, 8, 717]);
  assertEquals([figures.latency, figures.inverseThroughput], [71173, 18357]);
  assertEquals([figures.loads, figures.loads16, figures.dots, figures.matrices], [3, 2, 1, 1]);
});

Deno.test("figuresOf() leaves out what a driver does not report, and takes no spills for none", () => {
  const figures = figuresOf([statistic("Register Count", 40)]);
  assertEquals([figures.registers, figures.spilled, figures.scratchBytes], [40, 0, 0]);
  assertEquals([figures.occupancy, figures.loads, figures.dots], [undefined, undefined, undefined]);
});
