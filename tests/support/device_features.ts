/** What the device of the tests offers, for tests that need more than the floor. */
import { chooseCoopmatShape, Instance } from "../../src/vulkan/mod.ts";

/** Whether the first device has matrix units that multiply float16 and add up in float32. */
export function hasCoopmat(): boolean {
  using instance = Instance.create();
  return chooseCoopmatShape(instance.adapters()[0].coopmatShapes) !== null;
}
