import {
  readStep,
  STEP_HEADER_BYTES,
  stepBytes,
  stepFieldOffset,
  stepGlsl,
  writeStep,
} from "../../src/kernels/step_buffer.ts";
import { assertEquals, assertFails } from "../support/assert.ts";

Deno.test("stepGlsl() is the text of shaders/include/step.glsl", () => {
  const include = new URL("../../shaders/include/step.glsl", import.meta.url);
  assertEquals(Deno.readTextFileSync(include), stepGlsl(), "run `deno run -A tools/write_step_glsl.ts`");
});

Deno.test("writeStep() puts position, count and token ids where the shader include has them", () => {
  const view = new DataView(new ArrayBuffer(stepBytes(3)));
  writeStep(view, 7, [11, 12, 13], { rngStep: 5 });
  const words = new Uint32Array(view.buffer);
  assertEquals([...words], [7, 3, 0, 0, 0, 5, 0, 0, 11, 12, 13]);
  assertEquals(STEP_HEADER_BYTES % 16, 0);
  assertEquals(stepFieldOffset("rngStep"), 20);
});

Deno.test("readStep() gives back what writeStep() wrote", () => {
  const view = new DataView(new ArrayBuffer(stepBytes(4)));
  const rest = { ringIndex: 3, stopped: 1, error: 2, rngStep: 4, encoderLength: 5 };
  writeStep(view, 1, [9, 8], rest);
  const fields = { position: 1, tokenCount: 2, ...rest };
  assertEquals(readStep(view), { ...fields, tokens: [9, 8] });
});

Deno.test("writeStep() refuses more tokens than the buffer holds", async () => {
  const view = new DataView(new ArrayBuffer(stepBytes(1)));
  await assertFails(() => writeStep(view, 0, [1, 2]), "2 tokens do not fit the step buffer");
});
