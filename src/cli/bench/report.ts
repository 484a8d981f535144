/** How results reach standard output: one format each, every row written as soon as it is known. */
import type { BenchRow } from "../../inference/bench/row.ts";
import type { Output } from "../output.ts";
import { csvHeader, csvLine } from "./csv.ts";
import { rowFields } from "./fields.ts";
import { markdownHeader, markdownProfile, markdownRow } from "./markdown.ts";
import { toJson } from "../../common/json.ts";

/** Writes results. */
export interface Report {
  begin(): Promise<void>;
  row(row: BenchRow): Promise<void>;
  /** Called whatever happened, so that what was written is whole. */
  end(): Promise<void>;
}

/** Values of `-o`. */
export const REPORT_FORMATS = ["md", "json", "jsonl", "csv"] as const;

/** One of them. */
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** The report in that format, ended by `version` where the format has room for it. */
export function createReport(format: ReportFormat, out: Output, version: string): Report {
  switch (format) {
    case "md":
      return markdownReport(out, version);
    case "json":
      return jsonReport(out, version);
    case "jsonl":
      return lineReport((row) => out.json(rowFields(row, version)));
    case "csv":
      return lineReport((row) => out.line(csvLine(row, version)), () => out.line(csvHeader()));
  }
}

/** A table; profiles follow when it is complete. */
function markdownReport(out: Output, version: string): Report {
  const rows: BenchRow[] = [];
  return {
    begin: () => out.write(markdownHeader()),
    async row(row) {
      rows.push(row);
      await out.write(markdownRow(row));
    },
    async end() {
      for (const row of rows) {
        if (row.profile) await out.write(markdownProfile(row, row.profile));
      }
      await out.write(`\nbuild: ${version}\n`);
    },
  };
}

/** One array, an object per line. */
function jsonReport(out: Output, version: string): Report {
  let first = true;
  return {
    begin: () => out.write("["),
    async row(row) {
      await out.write((first ? "\n" : ",\n") + toJson(rowFields(row, version)));
      first = false;
    },
    end: () => out.write("\n]\n"),
  };
}

function lineReport(row: Report["row"], begin: Report["begin"] = () => Promise.resolve()): Report {
  return { begin, row, end: () => Promise.resolve() };
}
