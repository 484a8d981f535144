/**
 * The one error class whose message is meant for the person at the keyboard.
 *
 * Everything a user can cause (a broken file, a wrong flag, a missing driver) becomes a `UserError`; the command
 * line prints its message as a single line and exits. Any other error is a defect of zinc and keeps its stack.
 */

/** Exit codes of every zinc command. */
export const EXIT = { ok: 0, failed: 1, usage: 2, interrupted: 130 } as const;

/** Options of {@linkcode UserError}. */
export interface UserErrorOptions extends ErrorOptions {
  /** Process exit code, default 1. */
  exitCode?: number;
}

/** A failure that a user can understand and act on: one line, sentence case, no trailing period. */
export class UserError extends Error {
  /** Process exit code for the command line. */
  readonly exitCode: number;

  /**
   * @param message What could not be done, to which file, tensor or flag, and what to do.
   */
  constructor(message: string, options: UserErrorOptions = {}) {
    super(message, options);
    this.name = "UserError";
    this.exitCode = options.exitCode ?? EXIT.failed;
  }
}

/** A {@linkcode UserError} for wrong usage of the command line (exit code 2). */
export function usageError(message: string): UserError {
  return new UserError(message, { exitCode: EXIT.usage });
}
