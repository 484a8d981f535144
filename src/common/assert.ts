/** Assertions for mistakes of the programmer; users never see them unless zinc itself is wrong. */

/** Thrown when an internal invariant does not hold. */
export class AssertionError extends Error {
  override name = "AssertionError";
}

/** Throws {@linkcode AssertionError} with `message` unless `condition` holds. */
export function assert(condition: unknown, message = "Assertion failed"): asserts condition {
  if (!condition) throw new AssertionError(message);
}
