/** `zinc check`: does this machine compute right? */
import { Option } from "commander";
import { UserError } from "../../common/errors.ts";
import type { AddCommand } from "../command.ts";
import type { CheckLine, Verdict } from "../device_check.ts";
import type { Output } from "../output.ts";
import { type Style, styled } from "../terminal.ts";

interface Flags {
  readonly device?: string;
  readonly json?: boolean;
}

const STYLES: Record<Verdict, Style> = { OK: "green", WARN: "yellow", FAIL: "red" };

/** Adds `zinc check`. */
export const addCheck: AddCommand = (program, { out }) => {
  program.command("check")
    .summary("check that a device computes right")
    .description(
      "Check driver, features and memory of a device, and run each family of kernels on small problems with known answers. " +
        "One line each: OK, WARN or FAIL. The exit code is 1 when anything failed.",
    )
    .addOption(
      new Option("--device <device>", "number or part of the name of a device, see zinc devices").env(
        "ZINC_DEVICE",
      ),
    )
    .option("--json", "one JSON object per line")
    .action(async (flags: Flags) => {
      const { checkDevice } = await import("../device_check.ts");
      let failed = 0;
      for await (const line of checkDevice(flags.device)) {
        if (line.verdict === "FAIL") failed++;
        await show(line, flags, out);
      }
      if (failed > 0) {
        const count = failed === 1 ? "1 check" : `${failed} checks`;
        throw new UserError(`${count} failed: results on this device cannot be trusted`);
      }
    });
};

async function show(line: CheckLine, { json }: Flags, out: Output): Promise<void> {
  if (json) return await out.json(line);
  const verdict = styled(line.verdict.padEnd(5), STYLES[line.verdict], Deno.stdout);
  await out.line(`${verdict} ${line.name.padEnd(20)} ${line.detail}`.trimEnd());
}
