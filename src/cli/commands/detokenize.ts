/** `zinc detokenize`: token ids to text. */
import { usageError, UserError } from "../../common/errors.ts";
import type { AddCommand } from "../command.ts";
import { tokenList } from "../flags.ts";
import { addModelFlag } from "../model_flags.ts";

interface Flags {
  readonly model?: string;
  readonly tokens?: number[];
  readonly json?: boolean;
  readonly special?: boolean;
}

/** Adds `zinc detokenize`. */
export const addDetokenize: AddCommand = (program, { out }) => {
  const command = program.command("detokenize")
    .summary("show the text of token ids")
    .description("Show the text that token ids stand for.")
    .argument("[ids...]", "token ids, separated by spaces or commas");
  addModelFlag(command)
    .option("--tokens <ids>", "the same as an option: 1,2,3", tokenList)
    .option("--special", "write out control tokens such as BOS, which are left out otherwise")
    .option("--json", 'one object {"text":"..."}')
    .action(async (ids: string[], flags: Flags) => {
      const { openTokenizer } = await import("../open_tokenizer.ts");
      if (flags.tokens && ids.length > 0) throw usageError("Give either token ids or --tokens, not both");
      const tokens = flags.tokens ?? (ids.length > 0 ? tokenList(ids.join(" ")) : undefined);
      if (!tokens) throw usageError("Give token ids, such as: zinc detokenize 1,2,3");
      const tokenizer = await openTokenizer(flags.model);
      const unknown = tokens.find((id) => id >= tokenizer.vocabSize);
      if (unknown !== undefined) {
        throw new UserError(
          `Cannot decode token ${unknown}: the model's ids go from 0 to ${tokenizer.vocabSize - 1}`,
        );
      }
      const text = tokenizer.decode(tokens, { skipSpecial: !flags.special });
      if (flags.json) await out.json({ text });
      else await out.modelText(text + "\n");
    });
};
