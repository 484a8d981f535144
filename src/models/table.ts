/** The table of families, side by side: what `zinc families` prints and `docs/models.md` holds. */
import type { Family, Traits } from "./family.ts";
import { FAMILIES } from "./registry.ts";

/** One family as plain data, for `--json` and for tables. */
export interface FamilyRow extends Traits {
  readonly name: string;
  /** Values of `general.architecture`. */
  readonly architectures: readonly string[];
  readonly kind: Family["kind"];
  readonly summary: string;
}

/** The traits in the order of the table, with their headings. */
export const TRAIT_HEADINGS: Readonly<Record<keyof Traits, string>> = {
  norm: "Norm",
  positions: "Positions",
  attention: "Attention",
  feedForward: "Feed-forward",
  block: "Block",
  biases: "Biases",
  output: "Output",
  state: "State",
};

/** A row per family, by kind and name. */
export function familyRows(families: readonly Family[] = FAMILIES): FamilyRow[] {
  const kinds: Family["kind"][] = ["decoder", "encoder", "encoder-decoder"];
  return families
    .map(({ name, architectures, kind, summary, traits }) => ({
      name,
      architectures,
      kind,
      summary,
      ...traits,
    }))
    .sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || a.name.localeCompare(b.name, "en"));
}

/** The text of `docs/models.md`. */
export function familiesMarkdown(families: readonly Family[] = FAMILIES): string {
  const rows = familyRows(families);
  const section = (title: string, kind: Family["kind"]) => {
    const own = rows.filter((row) => row.kind === kind);
    const what = table(["Family", "`general.architecture`", "What is particular"], own.map(whatCells));
    const how = table(["Family", ...Object.values(TRAIT_HEADINGS)], own.map(howCells));
    return `## ${title}\n\n${what}\n\n${how}\n`;
  };
  return [
    INTRODUCTION,
    section("Decoders", "decoder"),
    section("Encoders", "encoder"),
    section("Encoder-decoders", "encoder-decoder"),
  ].join("\n");
}

const INTRODUCTION = `<!-- deno-fmt-ignore-file -->
<!-- Generated from src/models by tools/write_models_doc.ts (deno task docs). -->

# Model families

Every family that zinc runs, and how each differs from the others. A row follows from the family's file in \`src/models/\`, the one that the
engine runs; [adding a model](adding-a-model.md) shows how to write one.

The words: a norm stands **before** each half of a block, **after** it (on what the half adds), **around** it (both), or **after residual**
(on the sum). RoPE rotates **adjacent** elements or the two **halves** of a head. A **parallel** block adds attention and feed-forward part
of the same input. An output matrix is the family's **own**, or **tied**: the token table where the file has no other. Biases are those
that every file of the family has; others are used where a file has them.
`;

function whatCells({ name, architectures, summary }: FamilyRow): string[] {
  return [name, architectures.map((architecture) => `\`${architecture}\``).join(", "), summary];
}

function howCells(row: FamilyRow): string[] {
  return [row.name, ...Object.keys(TRAIT_HEADINGS).map((trait) => row[trait as keyof Traits])];
}

/** A Markdown table. */
function table(headings: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(" | ")} |`;
  return [line(headings), line(headings.map(() => "---")), ...rows.map(line)].join("\n");
}
