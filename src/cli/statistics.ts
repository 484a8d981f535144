/** What a generation cost, as the line that follows a reply and as the fields of `--json`. */
import type { Timings } from "../inference/session.ts";

/** Prompt tokens that had to be processed: those found in the cache not counted. */
function processedTokens({ promptTokens, cachedTokens }: Timings): number {
  return promptTokens - cachedTokens;
}

/** Tokens of the prompt per second; 0 when nothing was timed. */
export function promptRate(timings: Timings): number {
  return perSecond(processedTokens(timings), timings.promptMs);
}

/** Generated tokens per second; 0 when nothing was timed. The first token comes out of the prompt's time. */
export function generationRate({ generatedTokens, generatedMs }: Timings): number {
  return perSecond(generatedTokens - 1, generatedMs);
}

/** `prompt 31 tokens (12 cached), 210.12 t/s | generation 50 tokens, 20.31 t/s` */
export function statisticsLine(timings: Timings): string {
  const cached = timings.cachedTokens > 0 ? ` (${timings.cachedTokens} cached)` : "";
  return `prompt ${timings.promptTokens} tokens${cached}, ${promptRate(timings).toFixed(2)} t/s | ` +
    `generation ${timings.generatedTokens} tokens, ${generationRate(timings).toFixed(2)} t/s`;
}

/** The `timings` object of `--json`, with the field names of llama.cpp's server. */
export function timingsJson(timings: Timings): Record<string, number> {
  return {
    prompt_n: processedTokens(timings),
    prompt_ms: timings.promptMs,
    prompt_per_second: promptRate(timings),
    cached_n: timings.cachedTokens,
    predicted_n: timings.generatedTokens,
    predicted_ms: timings.generatedMs,
    predicted_per_second: generationRate(timings),
  };
}

function perSecond(tokens: number, ms: number): number {
  return tokens > 0 && ms > 0 ? tokens / ms * 1000 : 0;
}
