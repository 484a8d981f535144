/**
 * Joins submitted lines into one message: a line that ends with a backslash goes on in the next one, and everything
 * between `"""` and `"""` is one message, line feeds included.
 */

const FENCE = '"""';

/** Collects lines until a message is complete. */
export class MessageAssembler {
  #lines: string[] = [];
  #fenced = false;

  /** True while lines of an unfinished message are held. */
  get pending(): boolean {
    return this.#fenced || this.#lines.length > 0;
  }

  /** Takes one submitted text; returns the message when that completes it. */
  push(text: string): string | undefined {
    if (!this.pending && text.trimStart().startsWith(FENCE)) {
      this.#fenced = true;
      text = text.trimStart().slice(FENCE.length);
    }
    return this.#fenced ? this.#pushFenced(text) : this.#pushPlain(text);
  }

  /** Forgets an unfinished message. */
  reset(): void {
    this.#lines = [];
    this.#fenced = false;
  }

  #pushFenced(text: string): string | undefined {
    const closed = text.trimEnd().endsWith(FENCE);
    this.#lines.push(closed ? text.trimEnd().slice(0, -FENCE.length) : text);
    return closed ? this.#complete() : undefined;
  }

  #pushPlain(text: string): string | undefined {
    if (text.endsWith("\\")) {
      this.#lines.push(text.slice(0, -1));
      return undefined;
    }
    this.#lines.push(text);
    return this.#complete();
  }

  #complete(): string {
    const message = this.#lines.join("\n").replace(/^\n+|\s+$/g, "");
    this.reset();
    return message;
  }
}
