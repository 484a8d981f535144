/** What a generation cost, as the line that follows a reply and as the fields of `--json`. */

/** Counts and times of one generation. */
export interface Timings {
  /** Prompt tokens that were processed, those found in the cache not counted. */
  readonly promptTokens: number;
  /** Time for them, milliseconds. */
  readonly promptMs: number;
  /** Prompt tokens whose state was still there from before. */
  readonly cachedTokens: number;
  /** Tokens generated. */
  readonly generatedTokens: number;
  /** Time for them, milliseconds. */
  readonly generatedMs: number;
}

/** Tokens per second; 0 when nothing was timed. */
export function tokensPerSecond(tokens: number, ms: number): number {
  return tokens > 0 && ms > 0 ? tokens / ms * 1000 : 0;
}

/** `prompt 31 tokens (12 cached), 210.12 t/s | generation 50 tokens, 20.31 t/s` */
export function statisticsLine(timings: Timings): string {
  const cached = timings.cachedTokens > 0 ? ` (${timings.cachedTokens} cached)` : "";
  return `prompt ${timings.promptTokens} tokens${cached}, ${
    rate(timings.promptTokens, timings.promptMs)
  } | ` +
    `generation ${timings.generatedTokens} tokens, ${rate(timings.generatedTokens, timings.generatedMs)}`;
}

/** The `timings` object of `--json`, with the field names of llama.cpp's server. */
export function timingsJson(timings: Timings): Record<string, number> {
  return {
    prompt_n: timings.promptTokens,
    prompt_ms: timings.promptMs,
    prompt_per_second: tokensPerSecond(timings.promptTokens, timings.promptMs),
    cached_n: timings.cachedTokens,
    predicted_n: timings.generatedTokens,
    predicted_ms: timings.generatedMs,
    predicted_per_second: tokensPerSecond(timings.generatedTokens, timings.generatedMs),
  };
}

function rate(tokens: number, ms: number): string {
  return `${tokensPerSecond(tokens, ms).toFixed(2)} t/s`;
}
