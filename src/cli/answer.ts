/** One generation from its first piece to its end, for people as it comes or for scripts as one object. */
import type { GenerationEnd, Piece } from "../inference/session.ts";
import type { Output } from "./output.ts";
import { timingsJson } from "./statistics.ts";

/** What one generation gave. */
export interface Answer {
  /** All of its text. */
  readonly text: string;
  /** The tokens that were sampled. */
  readonly tokens: readonly number[];
  /** How it ended and what it cost. */
  readonly end: GenerationEnd;
}

/** Runs a generation to its end; its text also goes to `out` as it comes, with a line feed behind it. */
export async function collectAnswer(
  pieces: AsyncGenerator<Piece, GenerationEnd>,
  out: Output | undefined,
): Promise<Answer> {
  let text = "";
  const tokens: number[] = [];
  let step = await pieces.next();
  try {
    for (; !step.done; step = await pieces.next()) {
      if (step.value.token !== undefined) tokens.push(step.value.token);
      text += step.value.text;
      await out?.modelText(step.value.text);
    }
    if (!text.endsWith("\n")) await out?.write("\n");
    return { text, tokens, end: step.value };
  } finally {
    // When the reader of `out` goes away, the session must hear of it.
    if (!step.done) await pieces.return(undefined as never);
  }
}

/** The object that `--json` prints. */
export function answerJson({ text, tokens, end }: Answer): Record<string, unknown> {
  return { text, tokens, stop_reason: end.stopReason, timings: timingsJson(end.timings) };
}
