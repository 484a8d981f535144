/** A line chart as inline SVG: series over categories, from 0, with whiskers. Colours come from the page's variables. */
import { escapeHtml, readable } from "./html.ts";

/** One value and its spread. */
export interface ChartPoint {
  /** Index into the chart's categories. */
  readonly category: number;
  readonly value: number;
  readonly deviation: number;
}

/** A line. */
export interface ChartSeries {
  readonly name: string;
  readonly points: readonly ChartPoint[];
}

/** What to draw. */
export interface LineChart {
  /** For readers who do not see it. */
  readonly title: string;
  readonly unit: string;
  readonly categories: readonly string[];
  readonly categoryTitle: string;
  readonly series: readonly ChartSeries[];
}

const WIDTH = 640;
const HEIGHT = 320;
const PLOT = { left: 84, right: WIDTH - 24, top: 32, bottom: HEIGHT - 52 };
const TICKS = 5;
/** More labels than these run into each other where a phone shows them large enough to be read. */
const CATEGORIES_NARROW = 4;
const WHISKER = 5;
const POINT_RADIUS = 4;

/** The chart as an `svg` element, in a box that scrolls on narrow pages if there are many categories. */
export function lineChart(chart: LineChart): string {
  const highest = Math.max(...chart.series.flatMap(({ points }) => points.map((p) => p.value + p.deviation)));
  const step = tickStep(highest / TICKS);
  const top = Math.ceil(highest / step) * step;
  const place = {
    x: (category: number) => {
      const slot = (PLOT.right - PLOT.left) / chart.categories.length;
      return PLOT.left + (category + 0.5) * slot;
    },
    y: (value: number) => PLOT.bottom - value / top * (PLOT.bottom - PLOT.top),
  };
  const ticks = Array.from({ length: Math.round(top / step) + 1 }, (_, i) => i * step);
  return [
    `<div class="chart${chart.categories.length > CATEGORIES_NARROW ? " wide" : ""}">`,
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeHtml(chart.title)}">`,
    ...ticks.map((tick) => gridLine(place.y(tick), readable(tick))),
    `<text class="axis" x="${PLOT.left}" y="18">${escapeHtml(chart.unit)}</text>`,
    ...chart.categories.map((category, i) =>
      `<text class="axis" x="${place.x(i)}" y="${PLOT.bottom + 22}" text-anchor="middle">${
        escapeHtml(category)
      }</text>`
    ),
    `<text class="axis" x="${(PLOT.left + PLOT.right) / 2}" y="${HEIGHT - 8}" text-anchor="middle">${
      escapeHtml(chart.categoryTitle)
    }</text>`,
    ...chart.series.map((series, i) => seriesMarks(chart, series, i, place)),
    "</svg>\n</div>",
  ].join("\n");
}

/** The smallest of 1, 2, 2.5 and 5 times a power of ten that is not below `least`. */
export function tickStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * [1, 2, 2.5, 5, 10].find((factor) => factor * power >= least)!;
}

function gridLine(y: number, label: string): string {
  return `<line class="grid" x1="${PLOT.left}" x2="${PLOT.right}" y1="${y}" y2="${y}"/>` +
    `<text class="axis" x="${PLOT.left - 8}" y="${y + 4}" text-anchor="end">${label}</text>`;
}

interface Place {
  x(category: number): number;
  y(value: number): number;
}

function seriesMarks(chart: LineChart, { name, points }: ChartSeries, index: number, place: Place): string {
  const path = points.map((p, i) => `${i === 0 ? "M" : "L"}${place.x(p.category)} ${place.y(p.value)}`).join(
    " ",
  );
  // Values of several lines would overlap; hovering shows them.
  const labelled = chart.series.length === 1;
  const marks = points.map((point) => {
    const [x, y] = [place.x(point.category), place.y(point.value)];
    const [high, low] = [
      place.y(point.value + point.deviation),
      place.y(Math.max(0, point.value - point.deviation)),
    ];
    const caption = `${name}, ${chart.categoryTitle} ${chart.categories[point.category]}: ${
      readable(point.value)
    } ± ${readable(point.deviation)} ${chart.unit}`;
    const whisker = `M${x} ${high}V${low}M${x - WHISKER} ${high}h${2 * WHISKER}M${x - WHISKER} ${low}h${
      2 * WHISKER
    }`;
    const label = labelled
      ? `<text class="value" x="${x + 9}" y="${y - 8}">${readable(point.value)}</text>`
      : "";
    return `<g><title>${escapeHtml(caption)}</title><path class="whisker" d="${whisker}"/>` +
      `<circle cx="${x}" cy="${y}" r="${POINT_RADIUS}"/>${label}</g>`;
  });
  return `<g class="series s${index % SERIES_COLOURS + 1}"><path class="line" d="${path}"/>${
    marks.join("")
  }</g>`;
}

/** How many colours the page's style defines. */
export const SERIES_COLOURS = 8;
