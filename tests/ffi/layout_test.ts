import { struct, type StructLayout } from "../../ffi/layout.ts";
import { readStruct } from "../../ffi/read.ts";
import * as Command from "../../ffi/structs/command.ts";
import * as CooperativeMatrix from "../../ffi/structs/cooperative_matrix.ts";
import * as DeviceStructs from "../../ffi/structs/device.ts";
import * as Features from "../../ffi/structs/features.ts";
import * as InstanceStructs from "../../ffi/structs/instance.ts";
import * as Memory from "../../ffi/structs/memory.ts";
import * as Pipeline from "../../ffi/structs/pipeline.ts";
import * as Properties from "../../ffi/structs/properties.ts";
import { array, bytes, chars, f32, i32, ptr, u32, u64, u8 } from "../../ffi/types.ts";
import { Arena } from "../../ffi/arena.ts";
import { assert, assertEquals, assertFails } from "../support/assert.ts";

const MODULES: Record<string, StructLayout>[] = [
  Command,
  CooperativeMatrix,
  DeviceStructs,
  Features,
  InstanceStructs,
  Memory,
  Pipeline,
  Properties,
] as never;

/** Every declared struct but the bare handle, which is no struct in C. */
const LAYOUTS = MODULES.flatMap((module) => Object.values(module)).filter((l) =>
  l !== InstanceStructs.Handle as never
);

/**
 * Structs that headers before 1.3.255 do not have; the text is that of the registry (vk.xml). A newer header replaces it.
 */
const COOPERATIVE_MATRIX_C = `
#ifndef VK_KHR_cooperative_matrix
typedef uint32_t VkScopeKHR;
typedef uint32_t VkComponentTypeKHR;
#define VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR 1000506000
#define VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_PROPERTIES_KHR 1000506001
typedef struct VkPhysicalDeviceCooperativeMatrixFeaturesKHR {
  VkStructureType sType; void* pNext; VkBool32 cooperativeMatrix; VkBool32 cooperativeMatrixRobustBufferAccess;
} VkPhysicalDeviceCooperativeMatrixFeaturesKHR;
typedef struct VkCooperativeMatrixPropertiesKHR {
  VkStructureType sType; void* pNext; uint32_t MSize; uint32_t NSize; uint32_t KSize; VkComponentTypeKHR AType;
  VkComponentTypeKHR BType; VkComponentTypeKHR CType; VkComponentTypeKHR ResultType;
  VkBool32 saturatingAccumulation; VkScopeKHR scope;
} VkCooperativeMatrixPropertiesKHR;
#endif
`;

/** `VkMemoryAllocateInfo` -> `VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO`, by the registry's rule for names. */
function structureTypeName(name: string): string {
  return "VK_STRUCTURE_TYPE_" + name.slice(2)
    .replace(/(Vulkan)(\d)(\d)/, "$1_$2_$3_")
    .replace(/(\d)$/, "_$1")
    .replace(/PCIBus/, "PciBus")
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_")
    .replace(/__/g, "_")
    .toUpperCase();
}

/** A program that prints `name size field offset field offset ... [sType]` for every struct. */
function cProgram(): string {
  const lines = LAYOUTS.map((layout) => {
    const parts = [`printf("${layout.name} %zu", sizeof(${layout.name}));`];
    for (const field of Object.keys(layout.fields)) {
      parts.push(`printf(" ${field} %zu", offsetof(${layout.name}, ${field}));`);
    }
    if (layout.sType !== undefined) parts.push(`printf(" = %d", (int)${structureTypeName(layout.name)});`);
    return parts.join(" ") + ` puts("");`;
  });
  return `#include <stdio.h>\n#include <stddef.h>\n#include <vulkan/vulkan.h>\n${COOPERATIVE_MATRIX_C}` +
    `int main(void) { ${lines.join("\n")} return 0; }\n`;
}

function works(command: string, ...args: string[]): boolean {
  try {
    return new Deno.Command(command, { args, stdout: "null", stderr: "null" }).outputSync().success;
  } catch {
    return false;
  }
}

const folder = Deno.makeTempDirSync({ prefix: "zinc-layout-" });
addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));
Deno.writeTextFileSync(`${folder}/probe.c`, "#include <vulkan/vulkan.h>\nint main(void) { return 0; }\n");
const hasHeaders = works("gcc", `${folder}/probe.c`, "-o", `${folder}/probe`);

Deno.test({
  name: "every struct has the size, the offsets and the sType of the C headers (needs gcc and libvulkan-dev)",
  ignore: !hasHeaders,
  fn() {
    Deno.writeTextFileSync(`${folder}/layout.c`, cProgram());
    const compile = new Deno.Command("gcc", { args: [`${folder}/layout.c`, "-o", `${folder}/layout`] })
      .outputSync();
    assert(compile.success, new TextDecoder().decode(compile.stderr));
    const printed = new TextDecoder().decode(new Deno.Command(`${folder}/layout`).outputSync().stdout).trim();
    const ours = LAYOUTS.map((layout) => {
      const fields = Object.entries(layout.offsets).map(([field, offset]) => ` ${field} ${offset}`).join("");
      return `${layout.name} ${layout.bytes}${fields}${
        layout.sType === undefined ? "" : ` = ${layout.sType}`
      }`;
    });
    assertEquals(ours, printed.split("\n"));
    assert(ours.length > 50, "the structs were found");
  },
});

Deno.test("struct() pads fields to their alignment and the whole to the largest", () => {
  const layout = struct("Mixed", { a: u8, b: u64, c: u32, d: array(u8, 3), e: i32 });
  assertEquals({ ...layout.offsets }, { a: 0, b: 8, c: 16, d: 20, e: 24 });
  assertEquals(layout.bytes, 32);
});

Deno.test("struct() writes little-endian values that the reader gives back", () => {
  const layout = struct("Values", { a: u32, b: i32, c: u64, d: f32, name: chars(8), raw: bytes(2) });
  using arena = new Arena();
  const memory = arena.struct(layout, {
    a: 0x01020304,
    b: -2,
    c: 2n ** 63n,
    d: 1.5,
    name: "zinc",
    raw: new Uint8Array([9, 8]),
  });
  assertEquals([...memory.subarray(0, 8)], [4, 3, 2, 1, 0xfe, 0xff, 0xff, 0xff]);
  assertEquals(readStruct(layout, memory), {
    a: 0x01020304,
    b: -2,
    c: 2n ** 63n,
    d: 1.5,
    name: "zinc",
    raw: new Uint8Array([9, 8]),
  });
});

Deno.test("struct() leaves fields that are not given zero, and writes its sType", () => {
  using arena = new Arena();
  const memory = arena.struct(DeviceStructs.SemaphoreCreateInfo);
  assertEquals(readStruct(DeviceStructs.SemaphoreCreateInfo, memory), { sType: 9, pNext: 0n, flags: 0 });
});

Deno.test("struct() refuses values that C would wrap, naming the field", async () => {
  using arena = new Arena();
  const layout = struct("Strict", { a: u32, b: i32, c: u64, p: ptr });
  const refuses = (values: Parameters<typeof arena.struct<typeof layout.fields>>[1], message: RegExp) =>
    assertFails(() => arena.struct(layout, values), message);
  await refuses({ a: -1 }, /Strict\.a: -1 is not an unsigned 32-bit integer/);
  await refuses({ a: 2 ** 32 }, /Strict\.a/);
  await refuses({ a: 1.5 }, /Strict\.a/);
  await refuses({ a: NaN }, /Strict\.a/);
  await refuses({ b: 2 ** 31 }, /Strict\.b/);
  await refuses({ c: -1n }, /Strict\.c: -1 is not an unsigned 64-bit integer/);
  await refuses({ c: 2n ** 64n }, /Strict\.c/);
  await refuses({ c: 2 ** 53 }, /Strict\.c: 9007199254740992 is not an integer that a number holds exactly/);
  await refuses({ c: 0.5 }, /Strict\.c/);
  await refuses({ p: -1n }, /Strict\.p/);
  await assertFails(() => arena.struct(layout, { typo: 1 } as never), /Strict has no field "typo"/);
});

Deno.test("chars() refuses a string without room for its terminator", async () => {
  using arena = new Arena();
  const layout = struct("Text", { text: chars(4) });
  await assertFails(() => arena.struct(layout, { text: "zinc" }), /does not fit char\[4\]/);
});
