import { assertEquals } from "../support/assert.ts";
import { statisticsLine, timingsJson } from "../../src/cli/statistics.ts";

const TIMINGS = { promptTokens: 40, cachedTokens: 30, promptMs: 50, generatedTokens: 11, generatedMs: 500 };

Deno.test("statisticsLine() counts only what was processed, and one interval less than tokens", () => {
  assertEquals(
    statisticsLine(TIMINGS),
    "prompt 40 tokens (30 cached), 200.00 t/s | generation 11 tokens, 20.00 t/s",
  );
});

Deno.test("statisticsLine() gives 0 for what was not timed", () => {
  const nothing = { promptTokens: 5, cachedTokens: 0, promptMs: 0, generatedTokens: 1, generatedMs: 0 };
  assertEquals(statisticsLine(nothing), "prompt 5 tokens, 0.00 t/s | generation 1 tokens, 0.00 t/s");
});

Deno.test("timingsJson() has the fields of llama.cpp's server", () => {
  assertEquals(timingsJson(TIMINGS), {
    prompt_n: 10,
    prompt_ms: 50,
    prompt_per_second: 200,
    cached_n: 30,
    predicted_n: 11,
    predicted_ms: 500,
    predicted_per_second: 20,
  });
});
