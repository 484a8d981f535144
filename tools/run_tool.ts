/** How the scripts under `tools/` and `bench/` start and fail: a user's mistake is one line, anything else a defect with its stack. */
import { EXIT, usageError, UserError } from "../src/common/errors.ts";

/** Runs `tool` with the arguments of the command line and exits with what it returns, 0 by default. `--help` prints `usage` instead. */
export async function runTool(
  tool: (args: string[]) => number | void | Promise<number | void>,
  usage: string,
): Promise<never> {
  if (Deno.args.includes("--help")) {
    console.log(usage);
    Deno.exit(EXIT.ok);
  }
  try {
    Deno.exit(await tool(Deno.args) ?? EXIT.ok);
  } catch (error) {
    const code = exitCodeOf(error);
    if (code === undefined) throw error;
    console.error((error as Error).message);
    Deno.exit(code);
  }
}

/**
 * The value `text` of `flag`, a whole number.
 *
 * @throws UserError when it is none, or less than `least`.
 */
export function wholeNumber(flag: string, text: string, least: number): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw usageError(`Expected a whole number from ${least} on for ${flag}, found "${text}"`);
}

function exitCodeOf(error: unknown): number | undefined {
  if (error instanceof UserError) return error.exitCode;
  const ofParseArgs = error instanceof TypeError && "code" in error &&
    String(error.code).startsWith("ERR_PARSE_ARGS");
  return ofParseArgs ? EXIT.usage : undefined;
}
