/** `zinc tokenize`: text to token ids. */
import { usageError, UserError } from "../../common/errors.ts";
import { printable } from "../../common/printable.ts";
import type { AddCommand } from "../command.ts";
import { addModelFlag } from "../model_flags.ts";
import { readStandardInput } from "../standard_input.ts";

interface Flags {
  readonly model?: string;
  readonly json?: boolean;
  readonly jsonl?: string;
  readonly special: boolean;
}

/** Adds `zinc tokenize`. */
export const addTokenize: AddCommand = (program, { out }) => {
  const command = program.command("tokenize")
    .summary("show the token ids of a text")
    .description("Show the token ids of a text and the piece of it that each stands for.")
    .argument("[text]", "the text; standard input when it is missing or -");
  addModelFlag(command)
    .option("--no-special", "add no BOS or EOS, and let the text of control tokens be ordinary text")
    .option("--json", 'one object {"tokens":[...],"pieces":[...]}')
    .option("--jsonl <file>", 'a JSON string per line in, {"tokens":[...]} per line out; - is standard input')
    .action(async (text: string | undefined, flags: Flags) => {
      const { openTokenizer } = await import("../open_tokenizer.ts");
      if (flags.jsonl !== undefined && text !== undefined) {
        throw usageError("Give either a text or --jsonl, not both");
      }
      const tokenizer = await openTokenizer(flags.model);
      const options = { addSpecial: flags.special, parseSpecial: flags.special };
      if (flags.jsonl !== undefined) {
        const { readLines } = await import("../text_files.ts");
        let number = 0;
        for await (const line of readLines(flags.jsonl)) {
          number++;
          if (line.trim() === "") continue;
          await out.json({ tokens: tokenizer.encode(parseString(line, flags.jsonl, number), options) });
        }
        return;
      }
      const tokens = tokenizer.encode(
        text === undefined || text === "-" ? await readStandardInput() : text,
        options,
      );
      const pieces = tokens.map((id) => tokenizer.piece(id));
      if (flags.json) return await out.json({ tokens, pieces });
      await out.write(tokens.map((id, index) => `${id}\t${printable(pieces[index])}\n`).join(""));
    });
};

function parseString(line: string, path: string, number: number): string {
  try {
    const value = JSON.parse(line);
    if (typeof value === "string") return value;
  } catch {
    // Reported below like any other value that is not a string.
  }
  throw new UserError(
    `Cannot read line ${number} of "${path}": expected a JSON string, found ${line.slice(0, 40)}`,
  );
}
