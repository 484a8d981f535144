/** Entry point of the self-extracting executable: cleans up after its first line of defence, then runs zinc. */
import { basename, dirname } from "node:path";

const runtime = dirname(Deno.execPath());
// The running program keeps its file open, so the folder can go at once; what it is called makes sure that it is ours.
if (Deno.env.get("ZINC_TEMPORARY_RUNTIME") === "1" && basename(runtime).startsWith("zinc-runtime-")) {
  Deno.env.delete("ZINC_TEMPORARY_RUNTIME");
  Deno.removeSync(runtime, { recursive: true });
}

await import("../main.ts");
