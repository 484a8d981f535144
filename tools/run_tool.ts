/** How the scripts under `tools/` and `bench/` start and fail: a user's mistake is one line, anything else a defect with its stack. */
import { EXIT, UserError } from "../src/common/errors.ts";

/** Runs `tool` with the arguments of the command line and exits with what it returns, 0 by default. */
export async function runTool(
  tool: (args: string[]) => number | void | Promise<number | void>,
): Promise<never> {
  try {
    Deno.exit(await tool(Deno.args) ?? EXIT.ok);
  } catch (error) {
    const code = exitCodeOf(error);
    if (code === undefined) throw error;
    console.error((error as Error).message);
    Deno.exit(code);
  }
}

function exitCodeOf(error: unknown): number | undefined {
  if (error instanceof UserError) return error.exitCode;
  const ofParseArgs = error instanceof TypeError && "code" in error &&
    String(error.code).startsWith("ERR_PARSE_ARGS");
  return ofParseArgs ? EXIT.usage : undefined;
}
