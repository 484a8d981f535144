/** Refuses results that are no numbers, before anyone takes them for an answer: damaged files and wrong drivers make them. */
import { UserError } from "../common/errors.ts";

/** Throws UserError unless all `values` are finite, or minus infinity, as logits of what is excluded are. `doing` completes "Cannot ...". */
export function requireFinite(values: Float32Array, doing: string): void {
  if (values.every((value) => value < Infinity)) return; // false for NaN
  throw new UserError(
    `Cannot ${doing}: the model computed numbers that are not finite; the file may be damaged or the driver may compute wrong ` +
      'numbers, "zinc check" tests the latter',
  );
}
