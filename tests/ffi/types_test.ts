import { apiVersion, resultName, versionText } from "../../ffi/enums.ts";
import { checkedI32, checkedU32, checkedU64, clampedNumber } from "../../ffi/types.ts";
import { assertEquals, assertFails } from "../support/assert.ts";

Deno.test("checkedU64() takes whole numbers from 0 to 2^64 - 1", () => {
  assertEquals(checkedU64(0), 0n);
  assertEquals(checkedU64(2 ** 53 - 1), 9007199254740991n);
  assertEquals(checkedU64(2n ** 64n - 1n), 18446744073709551615n);
});

Deno.test("checkedU64() throws on what Deno's FFI would wrap", async () => {
  for (const bad of [-1, -1n, 1.5, NaN, Infinity, 2 ** 53, 2n ** 64n, 2n ** 64n + 5n]) {
    await assertFails(() => checkedU64(bad), /is not an/);
  }
});

Deno.test("checkedU32() and checkedI32() throw outside their range", async () => {
  assertEquals([checkedU32(4294967295), checkedI32(-2147483648)], [4294967295, -2147483648]);
  for (const bad of [-1, 4294967296, 0.5, NaN]) await assertFails(() => checkedU32(bad), /unsigned 32-bit/);
  for (const bad of [2147483648, -2147483649, 0.5, NaN]) {
    await assertFails(() => checkedI32(bad), /signed 32-bit/);
  }
});

Deno.test("clampedNumber() reads a driver's 'no limit' as the largest exact number", () => {
  assertEquals(clampedNumber(2n ** 64n - 1n), Number.MAX_SAFE_INTEGER);
  assertEquals(clampedNumber(2147483648n), 2147483648);
});

Deno.test("versions pack as VK_MAKE_API_VERSION does", () => {
  assertEquals(apiVersion(1, 3), 4206592); // VK_API_VERSION_1_3
  assertEquals(versionText(4206822), "1.3.230");
});

Deno.test("resultName() names results and falls back to the number", () => {
  assertEquals([resultName(-4), resultName(-123)], ["ERROR_DEVICE_LOST", "VkResult -123"]);
});
