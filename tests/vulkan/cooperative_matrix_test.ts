import { chooseCoopmatShape, componentType, type CoopmatShape } from "../../src/vulkan/cooperative_matrix.ts";
import { assertEquals } from "../support/assert.ts";

const SUBGROUP = 3;
const WORKGROUP = 2;
const shape = (m: number, n: number, k: number, types: string, scope = SUBGROUP): CoopmatShape => {
  const [a, b, c, result] = types.split(" ") as CoopmatShape["a"][];
  return { m, n, k, a, b, c, result, scope, saturating: false };
};

Deno.test("chooseCoopmatShape() is none for a device that lists nothing", () => {
  assertEquals(chooseCoopmatShape([]), null);
});

Deno.test("chooseCoopmatShape() does not take integer shapes, f16 sums or workgroup scope", () => {
  assertEquals(
    chooseCoopmatShape([shape(16, 16, 32, "u8 u8 u32 u32"), shape(16, 16, 32, "i8 i8 i32 i32")]),
    null,
  );
  assertEquals(chooseCoopmatShape([shape(16, 16, 16, "f16 f16 f16 f16")]), null);
  assertEquals(chooseCoopmatShape([shape(16, 16, 16, "f16 f16 f32 f16")]), null);
  assertEquals(chooseCoopmatShape([shape(16, 16, 16, "f16 f16 f32 f32", WORKGROUP)]), null);
});

Deno.test("chooseCoopmatShape() selects 16x16x16 f16 with f32 sums among others", () => {
  const wanted = shape(16, 16, 16, "f16 f16 f32 f32");
  const listed = [shape(16, 8, 16, "f16 f16 f32 f32"), shape(16, 16, 16, "f16 f16 f16 f16"), wanted];
  assertEquals(chooseCoopmatShape(listed), wanted);
  assertEquals(chooseCoopmatShape([shape(32, 32, 16, "f16 f16 f32 f32"), wanted]), wanted);
});

Deno.test("chooseCoopmatShape() takes the largest usable shape where 16x16x16 is not listed", () => {
  const large = shape(8, 16, 16, "f16 f16 f32 f32");
  assertEquals(chooseCoopmatShape([shape(8, 8, 16, "f16 f16 f32 f32"), large]), large);
});

Deno.test("componentType() names VkComponentTypeKHR values and survives unknown ones", () => {
  assertEquals([0, 1, 3, 7, 9, 1000141000].map(componentType), ["f16", "f32", "i8", "u8", "u32", "other"]);
});
