/** Flags that many commands share, so that they mean the same everywhere. */
import type { Command } from "commander";
import { DEFAULT_MODEL } from "../hub/known_models.ts";

/** Adds `-m, --model`. */
export function addModelFlag(command: Command): Command {
  return command.option(
    "-m, --model <model>",
    `a GGUF file, a name from zinc list, org/repo[:quant] or a URL (default: ${DEFAULT_MODEL})`,
  );
}
