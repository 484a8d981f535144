/** Flags that say how a conversation becomes a prompt. */
import type { Command } from "commander";

/** Values of the flags. */
export interface PromptFlags {
  /** `--chat-template`. */
  readonly chatTemplate?: string;
  /** `--no-think` makes it false. */
  readonly think?: boolean;
}

/** Adds the flags. */
export function addPromptFlags(command: Command): Command {
  return command
    .option(
      "--chat-template <template>",
      "a Jinja file, or the name of a built-in template, instead of the model's own",
    )
    .option("--no-think", "ask models that think before they answer not to (enable_thinking = false)");
}
