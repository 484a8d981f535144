/** The program: arguments in, exit code out. */
import { main } from "./src/cli/main.ts";

Deno.exit(await main(Deno.args));
