/** From command-line arguments to an exit code. */
import { CommanderError } from "commander";
import { EXIT } from "../common/errors.ts";
import { withoutShortForms } from "./cache_flags.ts";
import { reportFailure } from "./failure.ts";
import { closeDebuggerOnSignal } from "./no_debugger.ts";
import { Output, writeError } from "./output.ts";
import { asUserError, createProgram } from "./program.ts";

/** Runs the command that `args` names; returns the exit code of the process. */
export async function main(args: readonly string[]): Promise<number> {
  closeDebuggerOnSignal();
  const out = new Output();
  let help = "";
  const spelled = withoutShortForms(args);
  const program = createProgram({ out }, (text) => help += text);
  try {
    if (args.length === 0) {
      writeError(program.helpInformation());
      return EXIT.usage;
    }
    await program.parseAsync(spelled, { from: "user" });
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportFailure(error);
    if (error.exitCode !== 0) return reportFailure(asUserError(error, spelled));
  }
  try {
    await out.write(help);
    return EXIT.ok;
  } catch (error) {
    return reportFailure(error);
  }
}
