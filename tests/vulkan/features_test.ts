import { type DeviceFeatures, type FeatureSupport, missingFeatures } from "../../src/vulkan/features.ts";
import { assertEquals } from "../support/assert.ts";

const FLOOR: DeviceFeatures = {
  bufferDeviceAddress: true,
  scalarBlockLayout: true,
  storageBuffer8BitAccess: true,
  storageBuffer16BitAccess: true,
  shaderInt8: true,
  shaderFloat16: true,
  shaderInt64: true,
  timelineSemaphore: true,
  shaderInt16: false,
  shaderSubgroupExtendedTypes: false,
  vulkanMemoryModel: false,
  vulkanMemoryModelDeviceScope: false,
  subgroupSizeControl: false,
  computeFullSubgroups: false,
  shaderIntegerDotProduct: false,
  cooperativeMatrix: false,
  pipelineExecutableInfo: false,
};
const support = (more: Partial<FeatureSupport> = {}): FeatureSupport => ({
  features: FLOOR,
  subgroupOperations: 0xff,
  maxPushConstantsSize: 128,
  ...more,
});

Deno.test("missingFeatures() asks for nothing optional", () => {
  assertEquals(missingFeatures(support()), []);
});

Deno.test("missingFeatures() names each feature of the floor that is absent", () => {
  const required = Object.keys(FLOOR).filter((name) => FLOOR[name as keyof DeviceFeatures]);
  assertEquals(required.length, 8);
  for (const name of required) {
    assertEquals(missingFeatures(support({ features: { ...FLOOR, [name]: false } })), [name]);
  }
});

Deno.test("missingFeatures() names subgroup operations and push constants", () => {
  assertEquals(missingFeatures(support({ subgroupOperations: 0b1011 })), [
    "subgroup arithmetic",
    "subgroup shuffle",
  ]);
  assertEquals(missingFeatures(support({ maxPushConstantsSize: 64 })), ["128 bytes of push constants"]);
});
