/** All families, one line each; `general.architecture` chooses. */
import { UserError } from "../common/errors.ts";
import type { Family } from "./family.ts";
import { llama } from "./llama.ts";

/** Every family that zinc runs. */
export const FAMILIES: readonly Family[] = [llama];

/** The family for a file's `general.architecture`. */
export function familyOf(architecture: string, path: string): Family {
  const family = FAMILIES.find((candidate) => candidate.architectures.includes(architecture));
  if (!family) {
    const supported = FAMILIES.flatMap((candidate) => candidate.architectures).sort().join(", ");
    throw new UserError(
      `Cannot load "${path}": architecture "${architecture}" is not supported (supported: ${supported})`,
    );
  }
  return family;
}
