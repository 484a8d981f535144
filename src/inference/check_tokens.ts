/** Refuses tokens that an engine cannot take, in words for whoever gave them. */
import { UserError } from "../common/errors.ts";
import type { Engine } from "./engine.ts";

/** How the tokens are spoken of: `Cannot <verb> the <what>`. */
export interface TokenUse {
  readonly verb: "run" | "encode" | "embed";
  readonly what: "prompt" | "text";
}

/**
 * Checks that there are tokens, that they fit the context and that the vocabulary has them.
 *
 * @throws UserError otherwise.
 */
export function checkTokens(
  tokens: ArrayLike<number>,
  { contextLength, vocab }: Pick<Engine, "contextLength" | "vocab">,
  { verb, what }: TokenUse,
): void {
  if (tokens.length === 0) throw new UserError(`Cannot ${verb} an empty ${what}: it has no tokens`);
  if (tokens.length > contextLength) {
    throw new UserError(
      `Cannot ${verb} the ${what}: ${tokens.length} tokens do not fit the context of ${contextLength}; ` +
        "shorten it or raise the context with -c as far as the model allows",
    );
  }
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i];
    if (!Number.isInteger(token) || token < 0 || token >= vocab) {
      throw new UserError(`Cannot ${verb} token ${token}: the vocabulary has ids 0 to ${vocab - 1}`);
    }
  }
}
