/** What goes wrong inside a chat template. */
import { UserError } from "../../common/errors.ts";

/** A template that cannot be parsed, or fails while it is rendered. */
export class TemplateError extends UserError {
  /** Takes what is wrong, without saying that it is about the template. */
  constructor(readonly reason: string, options: ErrorOptions = {}) {
    super(`Cannot use the chat template: ${reason}`, options);
  }
}

/** A conversation that the template itself refuses (`raise_exception`). */
export class TemplateRefusal extends UserError {
  /** Takes the template's own words. */
  constructor(readonly reason: string) {
    super(`The model's chat template refuses this conversation: ${reason}`);
  }
}
