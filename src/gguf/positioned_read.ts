/** Reading a file at a position, whole, with failures of the disk or the network as `UserError`. */
import { cannotRead } from "./errors.ts";

/**
 * Fills `into` from byte `position` of the file on and returns how many bytes there were: fewer than asked for only at
 * the end of the file.
 */
export function readAt(file: Deno.FsFile, path: string, position: number, into: Uint8Array): number {
  try {
    file.seekSync(position, Deno.SeekMode.Start);
    let done = 0;
    while (done < into.length) {
      const count = file.readSync(into.subarray(done));
      if (count === null) break;
      done += count;
    }
    return done;
  } catch (cause) {
    throw cannotRead(path, cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
