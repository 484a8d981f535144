import { KernelSet } from "../../src/kernels/kernel_set.ts";
import { SHADERS } from "../../src/kernels/shader_table.ts";
import { MAX_PUSH_BYTES } from "../../src/vulkan/mod.ts";
import { assert, assertEquals, assertFails } from "../support/assert.ts";
import { openBench } from "./harness.ts";

const bench = openBench();

Deno.test("KernelSet.get() gives the same pipeline for the same kernel, format and constants", () => {
  const kernels = new KernelSet(bench.device);
  const get = (WORKGROUP: number) => kernels.get("embed", { format: "f16", constants: { WORKGROUP } });
  assert(get(32) === get(32));
  assert(get(32) !== get(64));
});

Deno.test("KernelSet.get() refuses a format that a kernel has no form for", async () => {
  const kernels = new KernelSet(bench.device);
  await assertFails(
    () => kernels.get("matvec_any", { format: "q4_k" }),
    "kernel matvec_any has no form for q4_k",
  );
  await assertFails(() => kernels.get("embed"), "kernel embed has no form for undefined");
});

Deno.test("KernelSet.get() refuses a constant that the shader does not have", async () => {
  const kernels = new KernelSet(bench.device);
  const constants = { TEAM: 8 } as never;
  await assertFails(() => kernels.get("add", { constants }), "kernel add has no constant TEAM");
});

Deno.test("KernelSet.workgroup() is a power of two of whole subgroups", () => {
  for (const wanted of [1, 8, 33, 100, 256, 1e6]) {
    const workgroup = new KernelSet(bench.device, { workgroup: wanted }).workgroup();
    assert(Number.isInteger(Math.log2(workgroup)), `${workgroup}`);
    assertEquals(workgroup % bench.device.info.subgroupSize, 0);
    assert(workgroup <= bench.device.info.maxWorkgroupInvocations);
  }
});

Deno.test("every kernel's push constants fit into what Vulkan guarantees", () => {
  const tooLong = Object.entries(SHADERS).filter(([, { push }]) => push.bytes > MAX_PUSH_BYTES);
  assertEquals(tooLong.map(([name]) => name), []);
});
