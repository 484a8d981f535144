/** The program as commander sees it: the list of commands, and how its errors read. */
import { Command, type CommanderError } from "commander";
import { usageError, UserError } from "../common/errors.ts";
import type { AddCommand, CommandContext } from "./command.ts";
import { addBench } from "./commands/bench.ts";
import { addChat } from "./commands/chat.ts";
import { addCheck } from "./commands/check.ts";
import { addDetokenize } from "./commands/detokenize.ts";
import { addDevices } from "./commands/devices.ts";
import { addEmbed } from "./commands/embed.ts";
import { addFamilies } from "./commands/families.ts";
import { addInspect } from "./commands/inspect.ts";
import { addList } from "./commands/list.ts";
import { addLogits } from "./commands/logits.ts";
import { addPull } from "./commands/pull.ts";
import { addRm } from "./commands/rm.ts";
import { addRun } from "./commands/run.ts";
import { addTokenize } from "./commands/tokenize.ts";
import { VERSION_LINE } from "./version.ts";

/** In the order of `zinc --help`. */
const COMMANDS: readonly AddCommand[] = [
  addChat,
  addRun,
  addEmbed,
  addPull,
  addList,
  addRm,
  addInspect,
  addTokenize,
  addDetokenize,
  addLogits,
  addDevices,
  addBench,
  addCheck,
  addFamilies,
];

const LIST_HINT = "; zinc --help lists the commands";

/** Builds the program. Help and version end up in `written` instead of on a stream. */
export function createProgram(context: CommandContext, written: (text: string) => void): Command {
  const program = new Command("zinc")
    .description("Run large language models from GGUF files on any Vulkan GPU.")
    .version(VERSION_LINE, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [command]", "print the help of a command")
    .configureHelp({ showGlobalOptions: false })
    .configureOutput({
      writeOut: written,
      writeErr: written,
      outputError: () => {},
      getOutHelpWidth: () => 100,
      getErrHelpWidth: () => 100,
    })
    .exitOverride();
  for (const add of COMMANDS) add(program, context);
  for (const command of program.commands) {
    command.copyInheritedSettings(program).helpOption("-h, --help", "print this help");
  }
  return program;
}

/** Commander's complaint as one line: `error: unknown option '--tmp'\n(Did you mean --temp?)` loses the line feed. */
export function asUserError(error: CommanderError, args: readonly string[]): UserError {
  if (error.code === "commander.help") {
    return usageError(`Unknown command '${args.at(-1)}'${LIST_HINT}`);
  }
  const [first, ...rest] = error.message.replace(/^error: /, "").trim().split("\n");
  const text = first[0].toUpperCase() + first.slice(1).replace(/\.$/, "");
  const suggestion = rest.join(" ").replace(/^\(Did you mean (.*)\?\)$/, "; did you mean $1?");
  const fallback = error.code === "commander.unknownCommand" ? LIST_HINT : "";
  return usageError(`${text}${suggestion || fallback}`);
}
