/** The tokenizer of a model file, for commands that need nothing else of it. */
import { openGguf } from "../gguf/mod.ts";
import { createTokenizer, type Tokenizer } from "../tokenizer/mod.ts";
import { findModelFile } from "./model_source.ts";
import { notice } from "./output.ts";

/** Opens the tokenizer of what `-m` names; doubts about it go to standard error. */
export async function openTokenizer(model: string | undefined): Promise<Tokenizer> {
  using file = openGguf(await findModelFile(model));
  const tokenizer = createTokenizer(file.metadata);
  for (const warning of tokenizer.warnings) notice(warning);
  return tokenizer;
}
