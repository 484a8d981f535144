/** Results as the table of llama-bench, with columns for what a token cost behind its own. */
import type { OperationTime } from "../../inference/bench/profile.ts";
import { type BenchRow, bytesPerSecond, shareOfLimit, speedOf } from "../../inference/bench/row.ts";
import { testName } from "../../inference/bench/test_list.ts";
import { backendOf } from "./fields.ts";

/** A column: its title, the width that most values fit into, and its cell. The first ones are llama-bench's. */
interface Column {
  readonly title: string;
  readonly width: number;
  readonly left?: boolean;
  cell(row: BenchRow): string;
}

const NOTHING = "-";

const COLUMNS: readonly Column[] = [
  { title: "model", width: 30, left: true, cell: ({ model }) => model.type },
  { title: "size", width: 10, cell: ({ model }) => binarySize(model.bytes) },
  { title: "params", width: 10, cell: ({ model }) => parameterCount(model.parameters) },
  { title: "backend", width: 10, left: true, cell: backendOf },
  { title: "test", width: 15, cell: ({ test }) => testName(test) },
  { title: "t/s", width: 20, cell: speed },
  { title: "MB/token", width: 9, cell: ({ bytesPerToken }) => (bytesPerToken / 1e6).toFixed(2) },
  { title: "GB/s", width: 8, cell: (row) => (bytesPerSecond(row) / 1e9).toFixed(2) },
  { title: "of limit", width: 8, cell: limitShare },
  { title: "dispatches", width: 10, cell: ({ measurement: { cost } }) => number(cost?.dispatches, 1) },
  { title: "barriers", width: 8, cell: ({ measurement: { cost } }) => number(cost?.barriers, 1) },
  { title: "submissions", width: 11, cell: ({ measurement: { cost } }) => number(cost?.submissions, 3) },
  { title: "host µs", width: 8, cell: ({ measurement: { cost } }) => number(cost?.hostUs, 2) },
  { title: "device", width: 20, left: true, cell: ({ device }) => device?.name ?? NOTHING },
  { title: "driver", width: 20, left: true, cell: ({ device }) => device?.driver ?? NOTHING },
];

/** Titles and rule. */
export function markdownHeader(): string {
  const rule = COLUMNS.map(({ width, left }) => left ? "-".repeat(width) : `${"-".repeat(width - 1)}:`);
  return line(COLUMNS.map(({ title }) => title)) + line(rule);
}

/** One result. */
export function markdownRow(row: BenchRow): string {
  return line(COLUMNS.map((column) => escaped(column.cell(row))));
}

/** A table of where the time of one step goes, with its heading. */
export function markdownProfile(row: BenchRow, profile: readonly OperationTime[]): string {
  const total = profile.reduce((sum, { us }) => sum + us, 0);
  const lines = profile.map(({ operation, dispatches, us }) =>
    `| ${escaped(operation).padEnd(30)} | ${number(dispatches, 0).padStart(10)} | ${
      us.toFixed(1).padStart(10)
    } | ${percent(us / total).padStart(6)} |\n`
  );
  return `\n${row.model.type}, ${testName(row.test)}: device time of one step, each dispatch alone, ${
    total.toFixed(1)
  } µs\n\n` +
    `| ${"operation".padEnd(30)} | dispatches | ${"µs".padStart(10)} |  share |\n` +
    `| ${"-".repeat(30)} | ---------: | ---------: | -----: |\n` + lines.join("");
}

/** `4.68 GiB`, as llama-bench. */
export function binarySize(bytes: number): string {
  return bytes < 2 ** 30 ? `${(bytes / 2 ** 20).toFixed(2)} MiB` : `${(bytes / 2 ** 30).toFixed(2)} GiB`;
}

/** `8.19 B`, as llama-bench. */
export function parameterCount(parameters: number): string {
  return parameters < 1e9 ? `${(parameters / 1e6).toFixed(2)} M` : `${(parameters / 1e9).toFixed(2)} B`;
}

/** `2368.80 ± 93.24` */
export function speed(row: BenchRow): string {
  const { mean, deviation } = speedOf(row);
  return `${mean.toFixed(2)} ± ${deviation.toFixed(2)}`;
}

function limitShare(row: BenchRow): string {
  const share = shareOfLimit(row);
  return share === undefined ? NOTHING : percent(share);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function number(value: number | undefined, digits: number): string {
  return value === undefined ? NOTHING : value.toFixed(digits);
}

function line(cells: readonly string[]): string {
  const padded = cells.map((cell, i) =>
    COLUMNS[i].left ? cell.padEnd(COLUMNS[i].width) : cell.padStart(COLUMNS[i].width)
  );
  return `| ${padded.join(" | ")} |\n`;
}

function escaped(text: string): string {
  return text.replaceAll("|", "\\|");
}
