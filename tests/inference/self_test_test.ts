import { assertEquals, assertFails } from "../support/assert.ts";
import { withEnv } from "../support/env.ts";
import { TempDirectory } from "../support/temp.ts";
import { Device, Instance, validationAvailable } from "../../src/vulkan/mod.ts";
import { matrixUnitsAreRight, provenKernels } from "../../src/inference/self_test/matrix_units.ts";
import { relativeError } from "../../src/inference/self_test/relative_error.ts";
import { judge, selfTest } from "../../src/inference/self_test/self_test.ts";
import { hasCoopmat } from "../support/device_features.ts";

Deno.test("relativeError() relates the largest difference to the largest expected element", () => {
  assertEquals(relativeError(Float32Array.of(1, -8, 3), Float32Array.of(1, -8, 2)), 1 / 8);
  assertEquals(relativeError(Float32Array.of(0, 0), Float32Array.of(0, 0)), 0);
});

Deno.test("relativeError() is not a number when one result is not, or one is missing", () => {
  assertEquals(relativeError(Float32Array.of(1, NaN), Float32Array.of(1, 2)), NaN);
  assertEquals(relativeError(Float32Array.of(NaN, 5), Float32Array.of(1, 5)), NaN);
  assertEquals(relativeError(Float32Array.of(1), Float32Array.of(1, 2)), NaN);
});

Deno.test("judge() passes what is within the tolerance and fails what is not a number", () => {
  assertEquals(judge("x", 1e-4, 1e-3).ok, true);
  assertEquals(judge("x", 1e-2, 1e-3).ok, false);
  assertEquals(judge("x", NaN, 1e-3).ok, false);
});

Deno.test("selfTest() finds every family of kernels right on this machine's device", async () => {
  const messages: string[] = [];
  {
    using instance = Instance.create({
      validation: validationAvailable(),
      onMessage: (text) => messages.push(text),
    });
    await using device = Device.create(instance.adapters()[0]);
    const wrong = [];
    for await (const result of selfTest(device)) if (!result.ok) wrong.push(result);
    assertEquals(wrong, []);
  }
  assertEquals(messages, []);
});

Deno.test("selfTest() keeps no file that would be left behind when the process is killed", async () => {
  using folder = new TempDirectory();
  using instance = Instance.create();
  await using device = Device.create(instance.adapters()[0]);
  await withEnv({ TMPDIR: folder.path }, async () => {
    for await (const _ of selfTest(device)) {
      assertEquals(folder.names(), []);
      break;
    }
  });
});

Deno.test("selfTest() says when it has no place to write", async () => {
  using instance = Instance.create();
  await using device = Device.create(instance.adapters()[0]);
  const error = await withEnv(
    { TMPDIR: "/nowhere" },
    () => assertFails(() => selfTest(device).next(), "set TMPDIR to a folder that can be written"),
  );
  assertEquals(error.name, "UserError");
});

/** A device as `provenKernels()` sees it: a GPU with matrix units that are not there. */
function withMatrixUnits(device: Device): Device {
  const shape = {
    m: 16,
    n: 16,
    k: 16,
    a: "f16",
    b: "f16",
    c: "f32",
    result: "f32",
    scope: 3,
    saturating: false,
  };
  const info = { ...device.info, isCpu: false, coopmat: shape, name: "Some GPU", driverInfo: "driver 7" };
  return Object.create(device, { info: { value: info } });
}

Deno.test("provenKernels() does without matrix units that do not work, and says so once", async () => {
  using instance = Instance.create();
  await using device = Device.create(instance.adapters()[0]);
  const warnings: string[] = [];
  const answers = (right: boolean) =>
    provenKernels(withMatrixUnits(device), (message) => warnings.push(message), () => Promise.resolve(right));
  assertEquals((await answers(true)).coopmat?.m, 16);
  assertEquals(warnings, []);
  assertEquals((await answers(false)).coopmat, null);
  assertEquals(warnings, [
    "the matrix units of Some GPU do not work (driver 7): prompts are processed without",
  ]);
});

Deno.test("provenKernels() does not ask a device whose matrix units are switched off", async () => {
  using instance = Instance.create();
  await using device = Device.create(instance.adapters()[0]);
  const ask = () =>
    provenKernels(withMatrixUnits(device), () => {}, () => Promise.reject(new Error("asked")));
  assertEquals((await withEnv({ ZINC_NO_COOPMAT: "1" }, ask)).coopmat, null);
});

Deno.test({
  name: `matrixUnitsAreRight() of this machine's device${hasCoopmat() ? "" : " (it has none)"}`,
  ignore: !hasCoopmat(),
  fn: async () => {
    using instance = Instance.create();
    await using device = Device.create(instance.adapters()[0]);
    assertEquals(await matrixUnitsAreRight(device), true);
    assertEquals(device.liveObjects, 0);
  },
});
