/** Ctrl+C outside the chat's own prompt: the first one asks the work to stop, the second one ends the process. */
import { EXIT } from "../common/errors.ts";
import { Interrupted } from "./failure.ts";

/** Runs `work` with a signal that Ctrl+C (SIGINT) aborts. Throws {@linkcode Interrupted} when it fails after that. */
export async function withInterrupt<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stopper = new AbortController();
  const onInterrupt = () => {
    if (stopper.signal.aborted) Deno.exit(EXIT.interrupted);
    stopper.abort();
  };
  Deno.addSignalListener("SIGINT", onInterrupt);
  try {
    return await work(stopper.signal);
  } catch (error) {
    if (stopper.signal.aborted) throw new Interrupted("Interrupted", { cause: error });
    throw error;
  } finally {
    Deno.removeSignalListener("SIGINT", onInterrupt);
  }
}
