/**
 * The two streams of a command. Standard output carries model text or the requested data and nothing else;
 * whatever is for the person goes to standard error.
 */
import { UserError } from "../common/errors.ts";
import { toJson } from "../common/json.ts";
import { withoutControls } from "../common/printable.ts";

/** Thrown when the reader of standard output has gone (`zinc run ... | head -1`); ends the command quietly. */
export class OutputClosed extends Error {
  /** Names the class in logs. */
  override name = "OutputClosed";
}

/** Somewhere bytes can be written to; `Deno.stdout` is one. */
export interface ByteSink {
  /** Writes some or all of `bytes` and says how many. */
  write(bytes: Uint8Array): Promise<number>;
  /** Whether a person is looking. */
  isTerminal?(): boolean;
}

const encoder = new TextEncoder();

/** Text to a stream whose reader may leave at any time. */
export class Output {
  readonly #sink: ByteSink;

  /** Writes to `sink`, by default to standard output. */
  constructor(sink: ByteSink = Deno.stdout) {
    this.#sink = sink;
  }

  /** Writes all of `text`. Throws {@linkcode OutputClosed} when nobody reads any more, `UserError` when the disk is full. */
  async write(text: string): Promise<void> {
    let rest = encoder.encode(text);
    try {
      while (rest.length > 0) rest = rest.subarray(await this.#sink.write(rest));
    } catch (error) {
      if (error instanceof Deno.errors.BrokenPipe) throw new OutputClosed("Standard output was closed");
      throw new UserError(`Cannot write to standard output: ${(error as Error).message}`, { cause: error });
    }
  }

  /** Writes text that a model made: to a terminal without what could drive it, to a file or pipe as it is. */
  modelText(text: string): Promise<void> {
    return this.write(this.#sink.isTerminal?.() ? withoutControls(text) : text);
  }

  /** Writes `text` and a line feed. */
  line(text: string): Promise<void> {
    return this.write(text + "\n");
  }

  /** Writes `value` as one line of JSON. */
  json(value: unknown): Promise<void> {
    return this.line(toJson(value));
  }
}

/** Writes `text` to standard error. One that is closed or full is no reason to stop. */
export function writeError(text: string): void {
  let rest = encoder.encode(text);
  try {
    while (rest.length > 0) rest = rest.subarray(Deno.stderr.writeSync(rest));
  } catch {
    // There is nowhere left to say so.
  }
}

/** Tells the person something, as one line `zinc: message` on standard error. */
export function notice(message: string): void {
  writeError(`zinc: ${message}\n`);
}
