import { type AdapterSummary, chooseAdapter, distinctAdapters } from "../../src/vulkan/choose.ts";
import { chooseQueueFamily } from "../../src/vulkan/device_info.ts";
import { assertEquals, assertFails } from "../support/assert.ts";

const GiB = 2 ** 30;
const adapter = (
  name: string,
  type: AdapterSummary["type"],
  more: Partial<AdapterSummary> = {},
): AdapterSummary => ({
  name,
  type,
  uuid: name,
  pciAddress: null,
  driverId: 0,
  freeBytes: 8 * GiB,
  ...more,
});

const igpu = adapter("AMD Radeon 780M Graphics", "integrated", { freeBytes: 60 * GiB });
const card = adapter("AMD Radeon RX 9070 XT", "discrete", { freeBytes: 15 * GiB });
const bigCard = adapter("NVIDIA H200", "discrete", { freeBytes: 138 * GiB });
const virtual = adapter("Virtio-GPU Venus", "virtual");
const cpu = adapter("llvmpipe (LLVM 15.0.6, 256 bits)", "cpu", { freeBytes: 500 * GiB });

Deno.test("chooseAdapter() prefers discrete over integrated over virtual over the CPU, whatever their memory", () => {
  assertEquals(chooseAdapter([cpu, virtual, igpu, card]), card);
  assertEquals(chooseAdapter([cpu, virtual, igpu]), igpu);
  assertEquals(chooseAdapter([cpu, virtual]), virtual);
  assertEquals(chooseAdapter([cpu]), cpu);
});

Deno.test("chooseAdapter() takes the card with the most free memory of two", () => {
  assertEquals(chooseAdapter([card, bigCard]), bigCard);
  assertEquals(chooseAdapter([bigCard, card]), bigCard);
});

Deno.test("chooseAdapter() passes over a card that cannot run zinc, unless it is asked for or alone", () => {
  const old = adapter("GeForce GTX 680", "discrete", { missing: ["shaderFloat16"] });
  assertEquals(chooseAdapter([old, igpu]), igpu);
  assertEquals(chooseAdapter([old, igpu], "geforce"), old);
  assertEquals(chooseAdapter([old]), old);
});

Deno.test("chooseAdapter() obeys a number or a part of the name", () => {
  assertEquals(chooseAdapter([card, igpu, cpu], "1"), igpu);
  assertEquals(chooseAdapter([card, igpu, cpu], "LLVMpipe"), cpu);
  assertEquals(chooseAdapter([card, igpu, cpu], ""), card);
});

Deno.test("chooseAdapter() refuses a device that is not there and lists those that are", async () => {
  const error = await assertFails(
    () => chooseAdapter([card, cpu], "7"),
    'Cannot find device "7": there is 0: AMD Radeon RX 9070 XT, 1: llvmpipe (LLVM 15.0.6, 256 bits)',
  );
  assertEquals((error as Error & { exitCode: number }).exitCode, 2);
  await assertFails(() => chooseAdapter([card, cpu], "GeForce"), 'Cannot find device "GeForce"');
});

Deno.test("chooseAdapter() refuses several devices at once", async () => {
  await assertFails(() => chooseAdapter([card, bigCard], "0,1"), "zinc runs on one device");
});

Deno.test("chooseAdapter() without any device is an error", async () => {
  await assertFails(() => chooseAdapter([]), "Cannot find a Vulkan device");
});

Deno.test("distinctAdapters() shows a card that two drivers offer once, by RADV", () => {
  const pciAddress = "0000:03:00.0";
  const amdvlk = adapter("RX 9070 XT (AMDVLK)", "discrete", { pciAddress, driverId: 2 });
  const radv = adapter("RX 9070 XT (RADV)", "discrete", { pciAddress, driverId: 3 });
  const proprietary = adapter("RX 9070 XT (proprietary)", "discrete", { pciAddress, driverId: 1 });
  assertEquals(distinctAdapters([amdvlk, igpu, radv, proprietary]), [radv, igpu]);
  assertEquals(distinctAdapters([radv, amdvlk]), [radv]);
});

Deno.test("distinctAdapters() recognizes a device by its UUID, but not by an absent one", () => {
  const same = { uuid: "00112233445566778899aabbccddeeff" };
  assertEquals(distinctAdapters([adapter("a", "discrete", same), adapter("b", "discrete", same)]).length, 1);
  const none = { uuid: "0".repeat(32) };
  assertEquals(distinctAdapters([adapter("a", "discrete", none), adapter("b", "discrete", none)]).length, 2);
});

Deno.test("chooseQueueFamily() prefers a family for compute alone, if it has timestamps", () => {
  const graphics = { index: 0, flags: 0b1111, timestampBits: 64 };
  const transfer = { index: 1, flags: 0b1100, timestampBits: 64 };
  const compute = { index: 2, flags: 0b1110, timestampBits: 64 };
  assertEquals(chooseQueueFamily([graphics, transfer, compute]), compute);
  assertEquals(chooseQueueFamily([graphics, transfer, { ...compute, timestampBits: 0 }]), graphics);
  assertEquals(chooseQueueFamily([transfer, graphics]), graphics);
});

Deno.test("chooseQueueFamily() refuses a device that cannot compute", async () => {
  await assertFails(
    () => chooseQueueFamily([{ index: 0, flags: 0b100, timestampBits: 64 }]),
    "no queue for compute",
  );
});
