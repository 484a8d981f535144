/** `zinc logits`: the numbers behind the next token. */
import { usageError } from "../../common/errors.ts";
import type { Model } from "../../inference/load_model.ts";
import type { Session } from "../../inference/session.ts";
import type { AddCommand } from "../command.ts";
import { addEngineFlags, type EngineFlags, loadFromFlags, requireText } from "../engine_flags.ts";
import { tokenList, wholeNumber } from "../flags.ts";
import { topLogits } from "../top_logits.ts";
import { printable } from "../../common/printable.ts";
import { table } from "../table.ts";

interface Flags extends EngineFlags {
  readonly tokens?: number[];
  readonly prompt?: string;
  readonly decoderTokens?: number[];
  readonly greedy?: number;
  readonly top?: number;
  readonly eachPosition?: boolean;
  readonly json?: boolean;
}

const POSITION_TOP = 5;
const SHOWN_TOP = 10;

/** Adds `zinc logits`. */
export const addLogits: AddCommand = (program, { out }) => {
  const command = program.command("logits")
    .summary("show the logits after a prompt")
    .description("Show the logits after the last token of a prompt, for comparing zinc with other engines.");
  addEngineFlags(command)
    .option("--tokens <ids>", "the prompt as token ids, fed as they are: 1,2,3", tokenList)
    .option("-p, --prompt <text>", "the prompt as text, without a chat template")
    .option(
      "--decoder-tokens <ids>",
      "for encoder-decoder models: what the decoder is fed; the prompt goes to the encoder",
      tokenList,
    )
    .option(
      "--greedy <n>",
      "also continue with n tokens, each the likeliest; decoders behind an encoder begin anew at their first token",
      wholeNumber(0),
    )
    .option("--top <k>", "only the k highest logits, as [id, logit]", wholeNumber(1))
    .option("--each-position", `also the ${POSITION_TOP} highest logits at every position`)
    .option("--json", "one object: tokens, logits, and what was asked for")
    .action(async (flags: Flags) => {
      if ((flags.tokens === undefined) === (flags.prompt === undefined)) {
        throw usageError("Give either --tokens or -p");
      }
      await using model = await loadFromFlags(flags);
      requireText(model);
      const { plainTokens } = await import("../prompt.ts");
      const tokens = flags.tokens ?? plainTokens(model, flags.prompt!, { control: true });
      const { rows, greedy, decoderTokens } = await compute(model, tokens, flags);
      const last = rows.at(-1)!;
      if (flags.json) {
        return await out.json({
          tokens,
          decoder_tokens: decoderTokens,
          logits: flags.top === undefined ? Array.from(last) : topLogits(last, flags.top),
          positions: flags.eachPosition ? rows.map((row) => topLogits(row, POSITION_TOP)) : undefined,
          greedy,
        });
      }
      const best = topLogits(last, flags.top ?? SHOWN_TOP);
      await out.write(
        await table(
          ["ID", "LOGIT", "PIECE"],
          best.map(([id, logit]) => [
            String(id),
            logit.toFixed(4),
            printable(model.tokenizer.piece(id)),
          ]),
        ),
      );
      if (greedy) await out.line(`greedy: ${greedy.join(",")}`);
    });
};

/** What was computed: logits of the last or of every position, and the tokens that follow. */
interface Result {
  readonly rows: readonly Float32Array[];
  readonly decoderTokens?: readonly number[];
  readonly greedy?: readonly number[];
}

async function compute(model: Model, tokens: readonly number[], flags: Flags): Promise<Result> {
  const { decoderLogits, decoderStart, isEncoderDecoder, sessionFor } = await import("../encoder_decoder.ts");
  if (isEncoderDecoder(model)) {
    const decoderTokens = flags.decoderTokens ?? [decoderStart(model)];
    const rows = await decoderLogits(model, tokens, decoderTokens);
    using session = await sessionFor(model, tokens);
    return {
      rows,
      decoderTokens,
      greedy: await continueGreedily(session, decoderTokens.slice(0, 1), flags.greedy),
    };
  }
  if (flags.decoderTokens) {
    throw usageError(`--decoder-tokens is for encoder-decoder models, this is ${model.open.family.name}`);
  }
  using session = model.createSession();
  const rows = await session.logits(tokens, { eachPosition: flags.eachPosition });
  return { rows, greedy: await continueGreedily(session, tokens, flags.greedy) };
}

async function continueGreedily(session: Session, tokens: readonly number[], count: number | undefined) {
  if (count === undefined) return undefined;
  const { samplingFromFlags } = await import("../sampling_flags.ts");
  const options = { sampling: samplingFromFlags({ temp: 0, seed: 0 }), maxTokens: count, ignoreEos: true };
  const greedy: number[] = [];
  for await (const { token } of session.generate(tokens, options)) {
    if (token !== undefined) greedy.push(token);
  }
  return greedy;
}
