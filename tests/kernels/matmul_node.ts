/** Products for the tests of their kernels. */
import type { MatmulNode } from "../../src/kernels/matmul.ts";
import type { FormatName } from "../../src/quant/formats.ts";
import type { Lab } from "./harness.ts";

/** A weight `[rows, columns]`, and how many tokens it is multiplied with. */
export interface ProductShape {
  readonly format: FormatName;
  readonly rows: number;
  readonly columns: number;
  readonly tokens: number;
}

/** A plain product of that shape with values of its own, but for what `more` says. */
export function matmulNode(
  lab: Lab,
  { format, rows, columns, tokens }: ProductShape,
  more: Partial<MatmulNode> = {},
): MatmulNode {
  return {
    op: "matmul",
    inputs: [lab.value(tokens, columns)],
    outputs: [lab.value(tokens, rows)],
    weight: lab.weight(format, rows, columns),
    activation: "none",
    scale: 1,
    ...more,
  };
}
