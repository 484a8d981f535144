/** What zinc notices when a driver computes wrong numbers without an error, scripted kernel by kernel. */
import { embed } from "../../src/inference/embed.ts";
import { resolveSampling } from "../../src/inference/sampling/mod.ts";
import { matrixUnitsAreRight, provenKernels } from "../../src/inference/self_test/matrix_units.ts";
import { selfTest } from "../../src/inference/self_test/self_test.ts";
import { Session } from "../../src/inference/session.ts";
import { VulkanEngine } from "../../src/inference/vulkan_engine.ts";
import { openModel } from "../../src/models/open_model.ts";
import { createTokenizer } from "../../src/tokenizer/create_tokenizer.ts";
import { Device, Instance } from "../../src/vulkan/mod.ts";
import { assert, assertEquals, assertFails } from "../support/assert.ts";
import { hasCoopmat } from "../support/device_features.ts";
import { withEnv } from "../support/env.ts";
import { CONTEXT, goldenModel } from "../support/golden.ts";
import { openVulkanEngine, uploadWeights } from "../support/vulkan_executor.ts";

async function failedCases(device: Device): Promise<string[]> {
  const failed: string[] = [];
  for await (const result of selfTest(device)) if (!result.ok) failed.push(result.name);
  return failed;
}

Deno.test("selfTest() finds the family whose kernel computes wrong, and no other", async () => {
  using instance = Instance.create();
  await using device = Device.create(instance.adapters()[0]);
  const expected: [kernel: string, cases: string[]][] = [
    ["add", ["add"]],
    ["embed.q4_k", ["embed q4_k"]],
    ["store_kv", ["attention", "attention over q8_0"]],
    ["router", ["router and experts"]],
    ["state_space_scan", ["selective_scan", "state_space_scan"]],
    ["delta_net", ["delta_net"]],
    ["sample_max", ["sampler"]],
  ];
  for (const [kernel, cases] of expected) {
    assertEquals(await withEnv({ ZINC_FAULT_WRONG_KERNEL: kernel }, () => failedCases(device)), cases);
  }
});

for (const kernel of ["matmul_coopmat", "attention_coopmat"]) {
  Deno.test({
    name: `provenKernels() does without matrix units that compute wrong (${kernel})${
      hasCoopmat() ? "" : " (no matrix units)"
    }`,
    ignore: !hasCoopmat(),
    fn: async () => {
      using instance = Instance.create();
      await using device = Device.create(instance.adapters()[0]);
      const warnings: string[] = [];
      const hardware = Object.create(device, { info: { value: { ...device.info, isCpu: false } } });
      const kernels = await withEnv(
        { ZINC_FAULT_WRONG_KERNEL: kernel },
        () => provenKernels(hardware, (message) => warnings.push(message), () => matrixUnitsAreRight(device)),
      );
      assertEquals(kernels.coopmat, null);
      assertEquals(warnings.length, 1);
      assert(/do not work .*: prompts are processed without$/.test(warnings[0]), warnings[0]);
    },
  });
}

const NOT_FINITE = /^Cannot .*: the model computed .* that are not finite.*"zinc check" tests the latter$/;

Deno.test("a session says that logits are not finite, whatever the sampler, and gives no token", async () => {
  using model = openModel(goldenModel("llama2"), CONTEXT);
  const tokenizer = createTokenizer(model.file.metadata);
  using resources = await uploadWeights(model);
  await withEnv({ ZINC_FAULT_NAN_LOGITS: "1" }, async () => {
    for (
      const sampling of [
        { temperature: 0 },
        { temperature: 1, topK: 40 },
        { temperature: 1, topK: 0, topP: 0.9 },
        { temperature: 1, repeatPenalty: 1.2 },
      ]
    ) {
      using session = new Session(new VulkanEngine(model, resources, CONTEXT), tokenizer);
      const stream = session.generate([1, 57, 203], { sampling: resolveSampling({ ...sampling, seed: 1 }) });
      await assertFails(() => stream.next(), NOT_FINITE);
      await assertFails(() => session.logits([1, 57]), NOT_FINITE);
    }
  });
});

Deno.test("embed() says that a vector is not finite", async () => {
  using model = openModel(goldenModel("bert_mean"), CONTEXT);
  using engine = await openVulkanEngine(model, CONTEXT);
  const answer = () => embed(model, engine, [2, 57, 3]);
  await withEnv({ ZINC_FAULT_NAN_LOGITS: "1" }, () => assertFails(answer, NOT_FINITE));
});
