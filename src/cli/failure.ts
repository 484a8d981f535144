/** How a command that did not succeed ends: one line on standard error and an exit code. */
import { EXIT, UserError } from "../common/errors.ts";
import { printable } from "../common/printable.ts";
import { notice, OutputClosed } from "./output.ts";

/** Thrown by a command that the person stopped with Ctrl+C. */
export class Interrupted extends Error {
  /** Names the class in logs. */
  override name = "Interrupted";
}

/** Reports `error` on standard error and returns the exit code that goes with it. */
export function reportFailure(error: unknown): number {
  if (error instanceof OutputClosed) return EXIT.ok;
  if (error instanceof Interrupted) return EXIT.interrupted;
  const wantsStack = Deno.env.get("ZINC_DEBUG") === "1";
  if (error instanceof UserError) {
    notice(printable(error.message));
    if (wantsStack) console.error(error);
    return error.exitCode;
  }
  const name = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const hint = wantsStack ? "" : "; ZINC_DEBUG=1 shows where";
  notice(`${printable(name)} (this is a defect of zinc${hint})`);
  if (wantsStack) console.error(error);
  return EXIT.failed;
}
