import { Device, Instance, validationAvailable } from "../../src/vulkan/mod.ts";
import { assert, assertEquals } from "../support/assert.ts";

/** Runs a program of one line in a process of its own, whose environment is `env`. */
async function run(
  program: string,
  env: Record<string, string>,
): Promise<{ stdout: string; stderr: string }> {
  const module = new URL("../../src/vulkan/mod.ts", import.meta.url).href;
  const code = `import { Instance, chooseAdapter, noDriver } from "${module}"; ${program}`;
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", code],
    env: { ...env, NO_COLOR: "1" },
  }).output();
  return { stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
}

const REPORT =
  `try { using i = Instance.create(); const all = i.adapters(); if (all.length === 0) throw noDriver();
  console.log("found", all.length); } catch (e) { console.log(e.name + ": " + e.message); }`;

Deno.test("without a Vulkan loader the error says what to install", async () => {
  const { stdout } = await run(REPORT, { ZINC_VULKAN_LIBRARY: "/nowhere/libvulkan.so.1" });
  assert(
    stdout.startsWith("UserError: Cannot find a Vulkan loader (tried /nowhere/libvulkan.so.1): install "),
    stdout,
  );
  assertEquals(stdout.trim().split("\n").length, 1);
});

Deno.test("without a driver the error says what to install", async () => {
  const { stdout } = await run(REPORT, {
    VK_ICD_FILENAMES: "/nowhere/icd.json",
    VK_DRIVER_FILES: "/nowhere/icd.json",
  });
  assert(stdout.startsWith("UserError: Cannot find a Vulkan driver for any device: install "), stdout);
  assertEquals(stdout.trim().split("\n").length, 1);
});

Deno.test("looking for devices writes nothing to stderr", async () => {
  const { stdout, stderr } = await run(REPORT, {});
  assert(stdout.startsWith("found "), stdout);
  assertEquals(stderr, "");
});

const needsLayer = { ignore: !validationAvailable() };

Deno.test(
  "the validation layer's messages are collected, one by one (needs the Khronos validation layer)",
  needsLayer,
  () => {
    const heard: string[] = [];
    const instance = Instance.create({ validation: true, onMessage: (message) => heard.push(message) });
    const device = Device.create(instance.adapters()[0]);
    assertEquals(instance.validationMessages, []);
    const bufferOfNoBytes = new Uint8Array(new ArrayBuffer(56));
    bufferOfNoBytes[0] = 12; // VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO
    const handle = new Uint8Array(new ArrayBuffer(8));
    device.vk.vkCreateBuffer(device.handle, bufferOfNoBytes, null, handle);
    device.vk.vkDestroyBuffer(device.handle, new BigUint64Array(handle.buffer)[0], null);
    const ids = instance.validationMessages.map((message) => message.split("(")[0]);
    assertEquals(ids, [
      "VUID-VkBufferCreateInfo-usage-requiredbitmask",
      "VUID-VkBufferCreateInfo-size-00912",
    ]);
    device[Symbol.dispose]();
    instance[Symbol.dispose]();
    assertEquals(heard, instance.validationMessages);
    assertEquals(heard.length, 2);
  },
);

Deno.test(
  "one validated instance after the other has a log of its own (needs the Khronos validation layer)",
  needsLayer,
  () => {
    for (let round = 0; round < 25; round++) {
      using instance = Instance.create({ validation: true });
      assert(instance.validating);
      assertEquals(instance.validationMessages, []);
    }
  },
);

Deno.test("an instance lives until its last device is gone", async () => {
  const instance = Instance.create({ validation: validationAvailable() });
  const device = Device.create(instance.adapters()[0]);
  instance[Symbol.dispose]();
  await device.wait(device.submit([]));
  device[Symbol.dispose]();
  assertEquals(instance.validationMessages, []);
});

Deno.test("asking for validation without the layer is an error that says what to install", async () => {
  const program = `try { Instance.create({ validation: true }); } catch (e) { console.log(e.message); }`;
  const { stdout } = await run(program, { VK_LAYER_PATH: "/nowhere" });
  assertEquals(
    stdout.trim(),
    "Cannot validate: VK_LAYER_KHRONOS_validation is not installed (Debian: vulkan-validationlayers)",
  );
});
