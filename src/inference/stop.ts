/**
 * Stop strings in a stream of text.
 *
 * A stop string may begin in one token and end in another, so text that could be its beginning must wait; everything
 * else must not, or the stream would stutter. What a caller sees does not depend on how the text was cut into pieces:
 * the first stop string to be *complete* ends the stream, and of those completed by the same character the longest.
 */

/** What {@linkcode StopMatcher.push} found. */
export interface StopMatch {
  /** Text that is certain to be wanted. */
  readonly text: string;
  /** The stop string that ended the stream; it is not part of any `text`. */
  readonly stop?: string;
}

/** Watches a stream of text for any of several stop strings. */
export class StopMatcher {
  readonly #stops: readonly string[];
  #held = "";
  #stopped = false;

  /** Watches for `stops`; empty strings among them are ignored. */
  constructor(stops: readonly string[]) {
    this.#stops = stops.filter((stop) => stop !== "");
  }

  /** Takes the next piece (whole characters) and returns what can be shown now. After a stop all text is dropped. */
  push(piece: string): StopMatch {
    if (this.#stopped) return { text: "" };
    const text = this.#held + piece;
    const match = firstCompleted(text, this.#stops);
    if (match) {
      this.#stopped = true;
      this.#held = "";
      return { text: text.slice(0, match.start), stop: match.stop };
    }
    const cut = text.length - longestPossiblePrefix(text, this.#stops);
    this.#held = text.slice(cut);
    return { text: text.slice(0, cut) };
  }

  /** The text still held back when the stream ended without a stop string. */
  finish(): string {
    const rest = this.#held;
    this.#held = "";
    return rest;
  }
}

function firstCompleted(text: string, stops: readonly string[]): { stop: string; start: number } | undefined {
  let first: { stop: string; start: number; end: number } | undefined;
  for (const stop of stops) {
    const start = text.indexOf(stop);
    if (start === -1) continue;
    const end = start + stop.length;
    if (!first || end < first.end || (end === first.end && start < first.start)) first = { stop, start, end };
  }
  return first;
}

/** Length of the longest end of `text` that is a beginning of a stop string. */
function longestPossiblePrefix(text: string, stops: readonly string[]): number {
  let longest = 0;
  for (const stop of stops) {
    for (let length = Math.min(stop.length - 1, text.length); length > longest; length--) {
      if (text.endsWith(stop.slice(0, length))) longest = length;
    }
  }
  return longest;
}
