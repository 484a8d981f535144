/**
 * What a template may cost. A chat template comes with a model from somewhere, so it is not trusted: it gets a budget
 * of steps, time and text.
 */
import { TemplateError } from "./template_error.ts";

/** Evaluated expressions and statements. A thousand messages through a long template need some hundred thousand. */
const STEP_LIMIT = 20_000_000;
const TIME_LIMIT_MS = 10_000;
/** UTF-16 code units of any one string, the result included. */
const TEXT_LIMIT = 1 << 26;
/** As in Jinja2's sandbox. */
const RANGE_LIMIT = 100_000;
const STEPS_BETWEEN_CLOCKS = 1 << 14;

/** The budget of one rendering. */
export class Budget {
  #steps = 0;
  readonly #deadline = performance.now() + TIME_LIMIT_MS;

  /** Counts one step. Throws when the budget is spent. */
  step(): void {
    this.#steps++;
    const spent = this.#steps > STEP_LIMIT ||
      (this.#steps % STEPS_BETWEEN_CLOCKS === 0 && performance.now() > this.#deadline);
    if (spent) throw new TemplateError("it does not come to an end");
  }
}

/** Throws unless a text of `length` may be made. */
export function checkTextLength(length: number): void {
  if (!(length <= TEXT_LIMIT)) {
    throw new TemplateError(`it makes a text of more than ${TEXT_LIMIT} characters`);
  }
}

/** Throws unless a range of `count` numbers may be made. */
export function checkRange(count: number): void {
  if (!(count <= RANGE_LIMIT)) throw new TemplateError(`range() of more than ${RANGE_LIMIT} numbers`);
}
