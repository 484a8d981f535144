/**
 * Token ids to text, one at a time, as a model makes them. A character may be spread over several tokens: its bytes
 * wait until it is complete, so that no half character is ever shown.
 */
import type { DecodeOptions, Tokenizer } from "./tokenizer.ts";

/** Options of {@linkcode StreamDecoder}. */
export interface StreamOptions extends DecodeOptions {
  /**
   * Whether the first token begins a text, so that a leading space which encoding would have added is taken away.
   * Default false: the tokens continue a prompt.
   */
  atStart?: boolean;
}

const SPACE = 0x20;

/** Incremental, UTF-8 safe decoder of one sequence. */
export class StreamDecoder {
  readonly #tokenizer: Tokenizer;
  readonly #skipSpecial: boolean;
  // U+FEFF at the start is a character like any other, not a byte order mark to swallow.
  readonly #utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
  #atStart: boolean;

  /** Starts a sequence; `options` say whether control tokens are left out (default), and whether a text begins. */
  constructor(tokenizer: Tokenizer, options: StreamOptions = {}) {
    this.#tokenizer = tokenizer;
    this.#skipSpecial = options.skipSpecial ?? true;
    this.#atStart = options.atStart ?? false;
  }

  /**
   * The text that `id` completes: nothing while a character is incomplete. Where encoding adds a space (at the start
   * and behind control tokens), one space is taken away.
   */
  push(id: number): string {
    const isControl = this.#tokenizer.isControl(id);
    let bytes = this.#tokenizer.tokenBytes(id);
    const hasPrefix = this.#atStart && !isControl && this.#tokenizer.addSpacePrefix && bytes[0] === SPACE;
    if (hasPrefix) bytes = bytes.subarray(1);
    this.#atStart = isControl;
    return isControl && this.#skipSpecial ? "" : this.#utf8.decode(bytes, { stream: true });
  }

  /** What is left at the end: U+FFFD for a character that never became complete. */
  flush(): string {
    return this.#utf8.decode();
  }
}
