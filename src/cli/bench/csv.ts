/** Results as comma-separated values: the fields of `-o json` that are no lists, every value in quotes as llama-bench writes them. */
import type { BenchRow } from "../../inference/bench/row.ts";
import { type RowFields, rowFields } from "./fields.ts";

const COLUMNS = [
  "build",
  "backends",
  "device",
  "driver",
  "subgroup_size",
  "cooperative_matrix",
  "model_filename",
  "model_type",
  "model_size",
  "model_n_params",
  "n_ubatch",
  "type_k",
  "type_v",
  "n_prompt",
  "n_gen",
  "n_depth",
  "test",
  "test_time",
  "avg_ns",
  "stddev_ns",
  "avg_ts",
  "stddev_ts",
  "bytes_per_token",
  "gb_per_s",
  "limit_gb_per_s",
  "share_of_limit",
  "dispatches_per_token",
  "barriers_per_token",
  "submissions_per_token",
  "host_us_per_token",
] as const satisfies readonly (keyof RowFields)[];

/** The first line. */
export function csvHeader(): string {
  return COLUMNS.join(",");
}

/** The line of one result; what was not measured is empty. */
export function csvLine(row: BenchRow, version: string): string {
  const fields = rowFields(row, version);
  return COLUMNS.map((column) => quoted(String(fields[column] ?? ""))).join(",");
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
