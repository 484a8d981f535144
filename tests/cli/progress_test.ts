import { CompileLine } from "../../src/cli/progress.ts";
import { assertEquals } from "../support/assert.ts";

/** What is written when each of `total` kernels takes `ms`. */
function written(total: number, ms: number): string[] {
  const texts: string[] = [];
  let now = 0;
  const line = new CompileLine((text) => texts.push(text), () => now);
  for (let done = 1; done <= total; done++) {
    now += ms;
    line.update(done, total);
  }
  return texts;
}

Deno.test("CompileLine shows nothing where all kernels are compiled at once", () => {
  assertEquals(written(9, 50), []);
  assertEquals(written(1, 9000), []);
});

Deno.test("CompileLine counts kernels that take long, and goes away after the last", () => {
  assertEquals(written(4, 300), [
    "\r\x1b[Kzinc: compiling kernels for this device, 3 of 4",
    "\r\x1b[K",
  ]);
});
