/**
 * Deno opens a debugger on a port of this machine when it gets SIGUSR1, and has no switch against that. Nobody debugs zinc that way,
 * and whoever reached the port could read the conversation; so it is closed at once.
 */

/** Time after the signal by which the debugger has opened, ms. */
const OPENED_MS = [0, 50, 500];

/** Closes the debugger whenever SIGUSR1 opens it. */
export function closeDebuggerOnSignal(): void {
  if (Deno.build.os === "windows") return; // has no such signal
  Deno.addSignalListener("SIGUSR1", async () => {
    const { default: inspector } = await import("node:inspector");
    for (const ms of OPENED_MS) setTimeout(() => inspector.close(), ms);
  });
}
