/** The test suite's assertions: a seam over `node:assert`, so that tests name no runner and no registry. */
import nodeAssert from "node:assert/strict";

/** Fails unless `condition` is truthy. */
export function assert(condition: unknown, message?: string): asserts condition {
  nodeAssert.ok(condition, message);
}

/** Fails unless both values are deeply and strictly equal. */
export function assertEquals<T>(actual: T, expected: T, message?: string): void {
  nodeAssert.deepStrictEqual(actual, expected, message);
}

/** Fails unless `|actual - expected| <= tolerance`; NaN never passes. */
export function assertNear(actual: number, expected: number, tolerance: number, message = ""): void {
  nodeAssert.ok(
    Math.abs(actual - expected) <= tolerance,
    `${message} expected ${expected} within ${tolerance}, got ${actual}`,
  );
}

/** Largest absolute difference of two equally long arrays; NaN anywhere gives NaN. */
export function maxAbsDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  nodeAssert.equal(a.length, b.length, "arrays differ in length");
  let worst = 0;
  for (let i = 0; i < a.length; i++) {
    const difference = Math.abs(a[i] - b[i]);
    if (Number.isNaN(difference)) return NaN;
    if (difference > worst) worst = difference;
  }
  return worst;
}

/** Fails unless all elements are within `tolerance` of each other's counterpart. */
export function assertAllNear(
  actual: ArrayLike<number>,
  expected: ArrayLike<number>,
  tolerance: number,
  message = "",
): void {
  const worst = maxAbsDifference(actual, expected);
  nodeAssert.ok(worst <= tolerance, `${message} worst difference ${worst} exceeds ${tolerance}`);
}

/** Fails unless `fn` throws (or rejects) an error whose message matches. Returns the error. */
export async function assertFails(fn: () => unknown, message: string | RegExp): Promise<Error> {
  try {
    await fn();
  } catch (error) {
    nodeAssert.ok(error instanceof Error, `threw a non-error: ${error}`);
    if (typeof message === "string") {
      nodeAssert.ok(error.message.includes(message), `wrong message: ${error.message}`);
    } else nodeAssert.match(error.message, message);
    return error;
  }
  nodeAssert.fail(`expected a failure matching ${message}`);
}
