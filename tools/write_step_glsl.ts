/** Writes `shaders/include/step.glsl` from its definition in `src/kernels/step_buffer.ts`. */
import { stepGlsl } from "../src/kernels/step_buffer.ts";

Deno.writeTextFileSync(new URL("../shaders/include/step.glsl", import.meta.url), stepGlsl());
