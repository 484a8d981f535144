/** `zinc chat`: talk with a model. */
import type { AddCommand } from "../command.ts";
import { addEngineFlags, type EngineFlags, loadFromFlags, requireText } from "../engine_flags.ts";
import { repeated, wholeNumber } from "../flags.ts";
import { addPromptFlags, type PromptFlags } from "../prompt_flags.ts";
import { addSamplingFlags, type SamplingFlags, samplingFromFlags } from "../sampling_flags.ts";

interface Flags extends EngineFlags, PromptFlags, SamplingFlags {
  readonly system?: string;
  readonly prompt?: string;
  readonly maxTokens?: number;
  readonly stop?: string[];
  readonly history: boolean;
  readonly json?: boolean;
}

/** Adds `zinc chat`. */
export const addChat: AddCommand = (program, { out }) => {
  const command = program.command("chat")
    .summary("talk with a model")
    .description(
      "Talk with a model. On a terminal this is a dialogue, in which /help shows the commands; what is piped in is answered once.",
    );
  addEngineFlags(command)
    .option("-s, --system <text>", "system prompt")
    .option("-p, --prompt <text>", "say this first; with a pipe: before what is piped in")
    .option(
      "-n, --max-tokens <n>",
      "most tokens of a reply (default: until the model is done)",
      wholeNumber(1),
    )
    .option("--stop <text>", "text that ends a reply and is not part of it; may be repeated", repeated)
    .option("--json", "with a pipe: the answer as one object, as of zinc run")
    .option("--no-history", "neither read nor write the history of what was typed");
  addPromptFlags(command);
  addSamplingFlags(command).action(async (flags: Flags) => {
    const { startChat } = await import("../chat/start.ts");
    const sampling = samplingFromFlags(flags);
    const { maxTokens, stop, system, prompt, history, json } = flags;
    await startChat({
      system,
      prompt,
      history,
      json,
      out,
      openResponder: async () => {
        const { ModelResponder } = await import("../chat/model_responder.ts");
        const { PromptMaker } = await import("../prompt.ts");
        const model = await loadFromFlags(flags);
        requireText(model);
        return new ModelResponder(model, await PromptMaker.create(model, flags), {
          sampling,
          maxTokens,
          stop,
        });
      },
    });
  });
};
