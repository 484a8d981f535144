/** What a command file exports: a function that adds the command, its flags and its action to the program. */
import type { Command } from "commander";
import type { Output } from "./output.ts";

/** What every command gets besides its arguments. */
export interface CommandContext {
  /** Standard output. */
  readonly out: Output;
}

/** Adds one command to `program`. Engine modules are imported inside the action, so that help needs no driver. */
export type AddCommand = (program: Command, context: CommandContext) => void;
