/**
 * The benchmark as one HTML page that needs nothing else: speed by depth, bytes against what the device can read, time by operation,
 * and all numbers.
 */
import type { OperationTime } from "../../inference/bench/profile.ts";
import { type BenchRow, bytesPerSecond, shareOfLimit, speedOf } from "../../inference/bench/row.ts";
import { testName } from "../../inference/bench/test_list.ts";
import { type Bar, barList } from "./bar_list.ts";
import { escapeHtml, percent, readable } from "./html.ts";
import { type ChartSeries, lineChart, SERIES_COLOURS } from "./line_chart.ts";
import { binarySize, parameterCount, speed } from "./markdown.ts";
import { PAGE_STYLE } from "./page_style.ts";

/** Operations that get a bar of their own; the rest is added up. */
const OPERATIONS_SHOWN = 14;

/** The page for `results`, made by `version` of the program. */
export function benchPage(results: readonly BenchRow[], version: string): string {
  const rows = withDistinctNames(results);
  const colours = modelColours(rows);
  const [prompts, generations] = [rows.filter(isPrompt), rows.filter((row) => !isPrompt(row))];
  const speeds = [
    speedSection("Generation", generations, colours),
    speedSection("Prompt processing", prompts, colours),
  ].filter((section) => section !== "");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>zinc bench</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<main>
<header>
<h1>zinc bench</h1>
${deviceLines(rows)}
</header>
<div class="pair">
${speeds.join("\n")}
</div>
${limitSection(generations, colours)}
${profileSection(rows)}
${tableSection(rows)}
<footer>${escapeHtml(version)}. Means and sample standard deviations of ${
    repetitions(rows)
  } repetitions; tokens are fixed, nothing is sampled.</footer>
</main>
</body>
</html>
`;
}

function isPrompt({ test }: BenchRow): boolean {
  return test.prompt > 0;
}

/** Models that are called alike, such as two files of one shape, get their path behind the name. */
function withDistinctNames(rows: readonly BenchRow[]): BenchRow[] {
  const namesakes = Map.groupBy(rows, ({ model }) => model.type);
  return rows.map((row) => {
    const { type, path } = row.model;
    const isAlone = namesakes.get(type)!.every(({ model }) => model.path === path);
    return isAlone ? row : { ...row, model: { ...row.model, type: `${type}, ${path}` } };
  });
}

/** One colour per model, in order of appearance. */
function modelColours(rows: readonly BenchRow[]): ReadonlyMap<string, number> {
  const paths = [...new Set(rows.map(({ model }) => model.path))];
  return new Map(paths.map((path, i) => [path, i % SERIES_COLOURS + 1]));
}

function deviceLines(rows: readonly BenchRow[]): string {
  const lines = new Set(
    rows.map(({ device }) =>
      device
        ? `${device.name}, ${device.driver}: reads ${readable(device.readLimit / 1e9)} GB/s at best`
        : "reference executor: plain TypeScript on one thread"
    ),
  );
  return [...lines].map((line) => `<p>${escapeHtml(line)}</p>`).join("\n");
}

function repetitions(rows: readonly BenchRow[]): string {
  const counts = [...new Set(rows.map(({ measurement }) => measurement.samplesNs.length))];
  return counts.length === 0 ? "0" : counts.join(" or ");
}

/** Lines over depth where there are several depths, bars where there is one. */
function speedSection(
  title: string,
  rows: readonly BenchRow[],
  colours: ReadonlyMap<string, number>,
): string {
  if (rows.length === 0) return "";
  const depths = [...new Set(rows.map(({ test }) => test.depth))].sort((a, b) => a - b);
  const body = depths.length > 1 ? speedLines(title, rows, depths) : speedBars(rows, colours);
  return `<section>\n<h2>${title}</h2>\n<p>Tokens per second${
    depths.length > 1 ? " by the number of tokens that are in the context already" : ""
  }</p>\n${body}\n</section>`;
}

function speedLines(title: string, rows: readonly BenchRow[], depths: readonly number[]): string {
  const series = new Map<string, ChartSeries & { points: ChartSeries["points"][number][] }>();
  for (const row of rows) {
    const name = `${row.model.type}, ${testName({ ...row.test, depth: 0 })}`;
    const key = `${row.model.path}/${name}`;
    if (!series.has(key)) series.set(key, { name, points: [] });
    const { mean, deviation } = speedOf(row);
    series.get(key)!.points.push({ category: depths.indexOf(row.test.depth), value: mean, deviation });
  }
  const lines = [...series.values()];
  const legend = lines.map(({ name }, i) =>
    `<li class="s${i % SERIES_COLOURS + 1}"><i></i><span>${escapeHtml(name)}</span></li>`
  );
  return `<ul class="legend">${legend.join("")}</ul>\n` + lineChart({
    title: `${title}: tokens per second by depth`,
    unit: "tokens/s",
    categories: depths.map((depth) => depth.toLocaleString("en-US")),
    categoryTitle: "depth",
    series: lines,
  });
}

function speedBars(rows: readonly BenchRow[], colours: ReadonlyMap<string, number>): string {
  const fastest = Math.max(...rows.map((row) => speedOf(row).mean));
  return barList(rows.map((row): Bar => {
    const { mean, deviation } = speedOf(row);
    return {
      name: row.model.type,
      detail: testName(row.test),
      share: mean / fastest,
      value: `${readable(mean)} ± ${readable(deviation)}`,
      colour: colours.get(row.model.path)!,
    };
  }));
}

/** How close generation comes to what the device's memory allows. */
function limitSection(rows: readonly BenchRow[], colours: ReadonlyMap<string, number>): string {
  const onDevice = rows.filter(({ device }) => device !== undefined);
  if (onDevice.length === 0) return "";
  const bars = onDevice.map((row): Bar => {
    const share = shareOfLimit(row)!;
    return {
      name: `${row.model.type}, ${testName(row.test)}`,
      detail: `${readable(row.bytesPerToken / 1e6)} MB per token; at the limit ${
        readable(speedOf(row).mean / share)
      } tokens/s`,
      share,
      value: `${readable(bytesPerSecond(row) / 1e9)} GB/s, ${percent(share)}`,
      colour: colours.get(row.model.path)!,
    };
  });
  return `<section>\n<h2>Bytes against the limit</h2>
<p>Weights and cache that each generated token reads; the full width is what the device reads when it does nothing else</p>
${barList(bars, { track: true })}\n</section>`;
}

function profileSection(rows: readonly BenchRow[]): string {
  const profiled = rows.flatMap((row) => row.profile ? [profileBars(row, row.profile)] : []);
  if (profiled.length === 0) return "";
  return `<section>\n<h2>Time by operation</h2>
<p>Device time of one step and how many dispatches share it, each timed alone; in use they overlap where they can</p>
<div class="profiles">\n${profiled.join("\n")}\n</div>\n</section>`;
}

function profileBars(row: BenchRow, profile: readonly OperationTime[]): string {
  const total = profile.reduce((sum, { us }) => sum + us, 0);
  const shown = profile.slice(0, OPERATIONS_SHOWN);
  const rest = profile.slice(OPERATIONS_SHOWN);
  if (rest.length > 0) {
    shown.push({
      operation: `${rest.length} more`,
      dispatches: rest.reduce((sum, { dispatches }) => sum + dispatches, 0),
      us: rest.reduce((sum, { us }) => sum + us, 0),
    });
  }
  const longest = Math.max(...shown.map(({ us }) => us));
  const bars = shown.map(({ operation, dispatches, us }): Bar => ({
    name: operation,
    detail: `× ${readable(dispatches)}`,
    share: us / longest,
    value: `${readable(us)} µs, ${percent(us / total)}`,
    colour: 1,
  }));
  const heading = `${row.model.type}, ${testName(row.test)}: ${readable(total)} µs`;
  return `<div><h3>${escapeHtml(heading)}</h3>\n${barList(bars)}</div>`;
}

const TABLE: readonly (readonly [title: string, cell: (row: BenchRow) => string])[] = [
  ["model", ({ model }) => model.type],
  ["test", ({ test }) => testName(test)],
  ["size", ({ model }) => binarySize(model.bytes)],
  ["weights", ({ model }) => parameterCount(model.parameters)],
  ["tokens/s", speed],
  ["MB/token", ({ bytesPerToken }) => readable(bytesPerToken / 1e6)],
  ["GB/s", (row) => readable(bytesPerSecond(row) / 1e9)],
  ["of limit", (row) => optional(shareOfLimit(row), percent)],
  ["dispatches", ({ measurement }) => optional(measurement.cost?.dispatches, readable)],
  ["barriers", ({ measurement }) => optional(measurement.cost?.barriers, readable)],
  ["submissions", ({ measurement }) => optional(measurement.cost?.submissions, readable)],
  ["host µs", ({ measurement }) => optional(measurement.cost?.hostUs, readable)],
];

function tableSection(rows: readonly BenchRow[]): string {
  const head = TABLE.map(([title]) => `<th>${title}</th>`).join("");
  const body = rows.map((row) =>
    `<tr>${TABLE.map(([, cell]) => `<td>${escapeHtml(cell(row))}</td>`).join("")}</tr>`
  );
  return `<section>\n<h2>All results</h2>\n<p>Dispatches, barriers, submissions and host time are per token</p>
<div class="table"><table>\n<thead><tr>${head}</tr></thead>\n<tbody>\n${
    body.join("\n")
  }\n</tbody>\n</table></div>\n</section>`;
}

function optional(value: number | undefined, text: (value: number) => string): string {
  return value === undefined ? "–" : text(value);
}
