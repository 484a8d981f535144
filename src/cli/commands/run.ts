/** `zinc run`: one prompt, one answer. */
import { usageError } from "../../common/errors.ts";
import type { Model } from "../../inference/load_model.ts";
import type { Message } from "../chat/conversation.ts";
import { answerJson, collectAnswer } from "../answer.ts";
import type { AddCommand } from "../command.ts";
import { addEngineFlags, type EngineFlags, loadFromFlags, requireText } from "../engine_flags.ts";
import { Interrupted } from "../failure.ts";
import { repeated, wholeNumber } from "../flags.ts";
import { withInterrupt } from "../interrupt.ts";
import { writeError } from "../output.ts";
import { addPromptFlags, type PromptFlags } from "../prompt_flags.ts";
import { addSamplingFlags, type SamplingFlags, samplingFromFlags } from "../sampling_flags.ts";
import { readStandardInput } from "../standard_input.ts";
import { statisticsLine } from "../statistics.ts";
import { styled } from "../terminal.ts";

interface Flags extends EngineFlags, PromptFlags, SamplingFlags {
  readonly prompt?: string;
  readonly file?: string;
  readonly system?: string;
  readonly maxTokens?: number;
  readonly stop?: string[];
  readonly raw?: boolean;
  readonly ignoreEos?: boolean;
  readonly json?: boolean;
}

/** Adds `zinc run`. */
export const addRun: AddCommand = (program, { out }) => {
  const command = program.command("run")
    .summary("answer one prompt")
    .description("Answer one prompt and leave. Without -p and -f the prompt is read from standard input.");
  addEngineFlags(command)
    .option("-p, --prompt <text>", "the prompt; - reads standard input")
    .option("-f, --file <path>", "a file with the prompt, after that of -p; - is standard input")
    .option("-s, --system <text>", "system prompt")
    .option(
      "-n, --max-tokens <n>",
      "most tokens to generate (default: until the model is done)",
      wholeNumber(0),
    )
    .option("--stop <text>", "text that ends the answer and is not part of it; may be repeated", repeated)
    .option("--raw", "continue the prompt as it is, without a chat template")
    .option("--ignore-eos", "go on past the model's end-of-generation tokens")
    .option("--json", "one object: text, tokens, stop_reason, timings");
  addPromptFlags(command);
  addSamplingFlags(command).action(async (flags: Flags) => {
    if (flags.raw && flags.system !== undefined) throw usageError("--system has no place in a --raw prompt");
    const sampling = samplingFromFlags(flags);
    const prompt = await readPrompt(flags);
    const { PromptMaker, plainTokens } = await import("../prompt.ts");
    await using model = await loadFromFlags(flags);
    requireText(model);
    const source = flags.raw
      ? plainTokens(model, prompt, { control: true })
      : (await PromptMaker.create(model, flags)).chat(messagesOf(prompt, flags.system));
    const { session: opened, tokens } = await openSession(model, source);
    using session = opened;
    const { maxTokens, stop, ignoreEos } = flags;
    const answer = await withInterrupt((signal) =>
      collectAnswer(
        session.generate(tokens, { sampling, maxTokens, stop, ignoreEos, signal }),
        flags.json ? undefined : out,
      )
    );
    if (flags.json) await out.json(answerJson(answer));
    if (Deno.stderr.isTerminal()) writeError(styled(statisticsLine(answer.end.timings), "dim") + "\n");
    if (answer.end.stopReason === "abort") throw new Interrupted("Interrupted");
  });
};

/** The session to generate in and what it is fed: the prompt, or the decoder's first token where an encoder takes the prompt. */
async function openSession(model: Model, prompt: readonly number[]) {
  const { decoderStart, isEncoderDecoder, sessionFor } = await import("../encoder_decoder.ts");
  if (!isEncoderDecoder(model)) return { session: model.createSession(), tokens: prompt };
  return { session: await sessionFor(model, prompt), tokens: [decoderStart(model)] };
}

function messagesOf(prompt: string, system: string | undefined): Message[] {
  const user: Message = { role: "user", content: prompt };
  return system === undefined ? [user] : [{ role: "system", content: system }, user];
}

async function readPrompt({ prompt, file }: Flags): Promise<string> {
  const { readTextFile } = await import("../text_files.ts");
  const parts: string[] = [];
  if (prompt !== undefined && prompt !== "-") parts.push(prompt);
  if (file !== undefined && file !== "-") parts.push(await readTextFile(file));
  const wantsInput = prompt === "-" || file === "-" || (prompt === undefined && file === undefined);
  if (wantsInput) {
    if (Deno.stdin.isTerminal() && prompt !== "-" && file !== "-") {
      throw usageError("Give a prompt with -p, or pipe one in");
    }
    parts.push(await readStandardInput());
  }
  const text = parts.join("\n\n");
  if (text === "") throw usageError("The prompt is empty");
  return text;
}
