/** `zinc families`: the model families side by side. */
import type { Family } from "../../models/family.ts";
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
      const { FAMILIES } = await import("../../models/registry.ts");
      if (json) return await out.json(FAMILIES.map(asRow));
      await out.write(table(FAMILY_COLUMNS.map((column) => column.toUpperCase()), FAMILIES.map(familyCells)));
    });
};

/** Columns of the table of families. */
export const FAMILY_COLUMNS = [
  "name",
  "architecture",
  "norm",
  "positions",
  "attention",
  "feed-forward",
  "block",
  "biases",
  "output",
  "state",
] as const;

/** The cells of one family's row. */
export function familyCells({ name, architectures, traits }: Family): string[] {
  const { norm, positions, attention, feedForward, block, biases, output, state } = traits;
  return [
    name,
    architectures.join(", "),
    norm,
    positions,
    attention,
    feedForward,
    block,
    biases,
    output,
    state,
  ];
}

function asRow({ name, architectures, kind, summary, traits }: Family): Record<string, unknown> {
  const { feedForward, output, ...others } = traits;
  return { name, architectures, kind, summary, ...others, feed_forward: feedForward, output };
}
