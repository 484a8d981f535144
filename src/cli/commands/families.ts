/** `zinc families`: the model families side by side. */
import type { FamilyRow } from "../../models/table.ts";
import type { AddCommand } from "../command.ts";
import { table } from "../table.ts";

/** Adds `zinc families`. */
export const addFamilies: AddCommand = (program, { out }) => {
  program.command("families")
    .summary("show the model families that zinc runs")
    .description(
      "Show the model families that zinc runs side by side, from the registry that the engine itself uses.",
    )
    .option("--json", "one JSON array")
    .action(async ({ json }: { json?: boolean }) => {
      const { familyRows, TRAIT_HEADINGS } = await import("../../models/table.ts");
      const rows = familyRows();
      if (json) return await out.json(rows.map(asJson));
      const traits = Object.keys(TRAIT_HEADINGS) as (keyof typeof TRAIT_HEADINGS)[];
      const headings = ["Family", "Architecture", ...traits.map((trait) => TRAIT_HEADINGS[trait])];
      const cells = rows.map((
        row,
      ) => [row.name, row.architectures.join(", "), ...traits.map((trait) => row[trait])]);
      await out.write(await table(headings.map((heading) => heading.toUpperCase()), cells));
    });
};

/** JSON names are snake_case, as everywhere in zinc's output. */
function asJson({ feedForward, ...row }: FamilyRow): Record<string, unknown> {
  return { ...row, feed_forward: feedForward };
}
