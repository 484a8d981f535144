/**
 * A chat in which a script answers, for tests that need a process or a terminal.
 *
 * Arguments: `--slow` streams one letter every 20 ms without end, `--crash` fails instead of answering,
 * `--no-history` and `--json` as in zinc. The reply to "x" is
 * "you said: x"; the context holds 1000 tokens of one character each.
 */
import type { GenerationEnd, Piece } from "../../../src/inference/session.ts";
import type { Message, Responder } from "../../../src/cli/chat/conversation.ts";
import { startChat } from "../../../src/cli/chat/start.ts";
import { reportFailure } from "../../../src/cli/failure.ts";
import { Output } from "../../../src/cli/output.ts";

class ScriptedResponder implements Responder {
  readonly contextLength = 1000;

  countTokens(messages: readonly Message[]): number {
    return messages.reduce((sum, { content }) => sum + content.length, 0);
  }

  async *reply(messages: readonly Message[], signal: AbortSignal): AsyncGenerator<Piece, GenerationEnd> {
    const { role, content } = messages.at(-1)!;
    const text = Deno.args.includes("--slow") ? "z".repeat(100_000) : `you said: ${JSON.stringify(content)}`;
    const system = messages[0].role === "system" ? `[${messages[0].content}] ` : "";
    let generatedTokens = 0;
    if (Deno.args.includes("--crash")) throw new Error("the script breaks");
    if (role !== "user") throw new Error("the last message is not the person's");
    for (const letter of system + text) {
      if (signal.aborted) break;
      if (Deno.args.includes("--slow")) await new Promise((resolve) => setTimeout(resolve, 20));
      generatedTokens++;
      yield { token: letter.codePointAt(0)!, text: letter };
    }
    const timings = {
      promptTokens: content.length,
      promptMs: 10,
      cachedTokens: 0,
      generatedTokens,
      generatedMs: 20,
    };
    return { stopReason: signal.aborted ? "abort" : "stop", timings };
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

try {
  await startChat({
    history: !Deno.args.includes("--no-history"),
    json: Deno.args.includes("--json"),
    out: new Output(),
    openResponder: () => Promise.resolve(new ScriptedResponder()),
  });
} catch (error) {
  Deno.exitCode = reportFailure(error);
}
Deno.exit();
