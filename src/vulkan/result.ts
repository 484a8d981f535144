/** Turns a failed `VkResult` into an error: what the driver could not do, and what a person can do about it. */
import { RESULT, resultName } from "../../ffi/enums.ts";
import { UserError } from "../common/errors.ts";

/** The device stopped: watchdog, driver crash or a fault. Nothing more can be done with it. */
export class DeviceLostError extends UserError {
  /** Name of the class. */
  override name = "DeviceLostError";
}

/** There is no memory of the wanted kind. */
export class OutOfMemoryError extends UserError {
  /** Name of the class. */
  override name = "OutOfMemoryError";
}

/** Whether `result` says that some kind of memory ran out. */
export function isOutOfMemory(result: number): boolean {
  return result === RESULT.ERROR_OUT_OF_DEVICE_MEMORY || result === RESULT.ERROR_OUT_OF_HOST_MEMORY ||
    result === RESULT.ERROR_TOO_MANY_OBJECTS || result === RESULT.ERROR_FRAGMENTATION;
}

/** Throws unless `result` is a success; `doing` completes the sentence "Cannot ...". */
export function check(result: number, doing: string): void {
  if (result >= 0) return;
  if (isOutOfMemory(result)) {
    throw new OutOfMemoryError(`Cannot ${doing}: out of memory (${resultName(result)})`);
  }
  throw new UserError(
    `Cannot ${doing}: the Vulkan driver answered ${
      resultName(result)
    }; update the driver or choose another device with --device`,
  );
}
