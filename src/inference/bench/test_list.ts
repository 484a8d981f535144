/**
 * What a benchmark times, with the names of llama-bench: `pp512` feeds a prompt of 512 tokens, `tg128` generates 128 tokens one by one,
 * `@ d4096` starts either behind 4,096 tokens that are fed before the clock starts.
 */

/** One test; exactly one of `prompt` and `generate` is above 0. */
export interface BenchTest {
  /** Tokens of the prompt. */
  readonly prompt: number;
  /** Tokens generated. */
  readonly generate: number;
  /** Tokens in the context before. */
  readonly depth: number;
}

/** Lists of numbers to combine, as the command line takes them. */
export interface TestLists {
  readonly prompts: readonly number[];
  readonly generations: readonly number[];
  readonly depths: readonly number[];
}

/** All tests in llama-bench's order: for each depth the prompts, then the generations; 0 asks for none. */
export function testsOf({ prompts, generations, depths }: TestLists): BenchTest[] {
  return depths.flatMap((depth) => [
    ...prompts.filter((count) => count > 0).map((prompt) => ({ prompt, generate: 0, depth })),
    ...generations.filter((count) => count > 0).map((generate) => ({ prompt: 0, generate, depth })),
  ]);
}

/** `pp512`, `tg128 @ d4096`. */
export function testName({ prompt, generate, depth }: BenchTest): string {
  const name = prompt > 0 ? `pp${prompt}` : `tg${generate}`;
  return depth > 0 ? `${name} @ d${depth}` : name;
}

/** Tokens that a test times. */
export function timedTokens({ prompt, generate }: BenchTest): number {
  return prompt + generate;
}

/** Positions that a test needs. */
export function positionsOf(test: BenchTest): number {
  return test.depth + timedTokens(test);
}
