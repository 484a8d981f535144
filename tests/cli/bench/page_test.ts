/** The page of `zinc bench --html`. */
import { tickStep } from "../../../src/cli/bench/line_chart.ts";
import { escapeHtml, readable } from "../../../src/cli/bench/html.ts";
import { benchPage } from "../../../src/cli/bench/page.ts";
import { assert, assertEquals } from "../../support/assert.ts";
import { TempDirectory } from "../../support/temp.ts";
import { GENERATION, PROMPT } from "./sample_rows.ts";

const AT_ZERO = { ...GENERATION, test: { ...GENERATION.test, depth: 0 } };

Deno.test("benchPage() needs nothing from elsewhere and runs no script", () => {
  const page = benchPage([GENERATION, AT_ZERO, PROMPT], "zinc 1.2.3");
  assertEquals(page.match(/https?:|src=|href=|url\(|@import|<script|\son\w+=/g), null);
});

Deno.test("benchPage() shows names as text, whatever characters they have", () => {
  const page = benchPage([PROMPT], "zinc 1.2.3");
  assert(!page.includes("<b>"));
  assert(page.includes("&lt;b&gt;&quot;a|b&quot; &amp; c&lt;/b&gt;"));
});

Deno.test("benchPage() draws lines over several depths and bars for one", () => {
  assertEquals(benchPage([GENERATION, AT_ZERO], "v").match(/<circle/g)?.length, 2);
  assert(!benchPage([GENERATION], "v").includes("<svg"));
});

Deno.test("benchPage() tells files apart whose models are called alike", () => {
  const other = { ...GENERATION, model: { ...GENERATION.model, path: "models/other.gguf" } };
  assert(!benchPage([GENERATION, AT_ZERO, PROMPT], "v").includes("models/"));
  const page = benchPage([GENERATION, other], "v");
  for (const path of ["models/tiny.gguf", "models/other.gguf"]) {
    assert(page.includes(`llama 8B Q4_K - Medium, ${path}`), path);
  }
});

Deno.test("benchPage() has a page for no results too", () => {
  assert(benchPage([], "v").includes("All results"));
});

Deno.test("tickStep() is a round number, at least as large as asked for", () => {
  assertEquals([340, 1000, 2.3, 0.04, 7].map(tickStep), [500, 1000, 2.5, 0.05, 10]);
});

Deno.test("readable() keeps three digits and groups thousands", () => {
  assertEquals([1234567, 123.456, 12.3456, 1.23456, 0.0123456, 0].map(readable), [
    "1,234,567",
    "123",
    "12.3",
    "1.23",
    "0.0123",
    "0",
  ]);
});

Deno.test("escapeHtml() leaves no character that HTML gives a meaning to", () => {
  assertEquals(escapeHtml(`<a title='x' & "y">`), "&lt;a title=&#39;x&#39; &amp; &quot;y&quot;&gt;");
});

/** Debian's name for the browser, and flags for one that reaches no network. */
const BROWSER = "chromium";
const BROWSER_FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const hasBrowser = await new Deno.Command(BROWSER, { args: ["--version"], stdout: "null", stderr: "null" })
  .output()
  .then(({ success }) => success, () => false);

/** What a browser makes of a page in frames of several widths. */
interface Layout {
  readonly width: number;
  /** Part of the first track that its bar fills, per cent. */
  readonly limitShare: number;
  readonly points: number;
  /** Whether the page has to be scrolled sideways. */
  readonly tooWide: boolean;
  /** Height of the smallest text in a chart, pixels. */
  readonly chartText: number;
  /** Part of the first list of speeds that its longest bar takes, per cent. */
  readonly speedBar: number;
}

/** Runs in the browser, around the frames. */
const MEASURE = `onload = () => {
  document.title = JSON.stringify([...document.querySelectorAll("iframe")].map((frame) => {
    const page = frame.contentDocument;
    const all = (selector) => [...page.querySelectorAll(selector)].map((e) => e.getBoundingClientRect());
    const share = (part, whole) => Math.round(part / whole * 100);
    return {
      width: frame.clientWidth,
      limitShare: share(all(".track i")[0].width, all(".track .bar")[0].width),
      points: all("circle").length,
      tooWide: page.documentElement.scrollWidth > frame.clientWidth,
      chartText: Math.min(...all("svg text").map(({ height }) => height)),
      speedBar: share(Math.max(0, ...all(".pair li i").map(({ width }) => width)), all(".pair section")[0].width),
    };
  }));
}`;

/** Lays out a page for a desktop and a telephone. */
async function layoutsOf(page: string): Promise<Layout[]> {
  using folder = new TempDirectory();
  const frames = [1200, 390].map((width) =>
    `<iframe style="border:0;width:${width}px;height:900px" srcdoc="${escapeHtml(page)}"></iframe>`
  );
  const path = folder.join("frames.html");
  Deno.writeTextFileSync(path, `<title></title><script>${MEASURE}</script>${frames.join("")}`);
  const { stdout } = await new Deno.Command(BROWSER, {
    args: [...BROWSER_FLAGS, `--user-data-dir=${folder.join("profile")}`, "--dump-dom", `file://${path}`],
    stderr: "null",
  }).output();
  return JSON.parse(/<title>(.*?)<\/title>/.exec(new TextDecoder().decode(stdout))![1]);
}

const inBrowser = (name: string, fn: () => Promise<void>) =>
  Deno.test({ name: `${name}${hasBrowser ? "" : ` (needs ${BROWSER})`}`, ignore: !hasBrowser, fn });

inBrowser("benchPage() is laid out by a browser as written, at any width", async () => {
  for (const layout of await layoutsOf(benchPage([GENERATION, AT_ZERO], "v"))) {
    const { width, limitShare, points, tooWide } = layout;
    assertEquals([limitShare, points, tooWide], [40, 2, false], `${width} pixels`);
  }
});

inBrowser(
  "benchPage() has charts that can be read on a telephone, however many depths there are",
  async () => {
    const deep = Array.from({ length: 9 }, (_, i) => ({
      ...GENERATION,
      test: { ...GENERATION.test, depth: 512 << i },
    }));
    for (const rows of [[GENERATION, AT_ZERO], deep]) {
      for (const { width, chartText, tooWide } of await layoutsOf(benchPage(rows, "v"))) {
        assert(chartText >= 11 && !tooWide, `${width} pixels: text is ${chartText} high`);
      }
    }
  },
);

inBrowser("benchPage() gives the longest bar of speeds a good part of the width", async () => {
  for (const { width, speedBar } of await layoutsOf(benchPage([GENERATION, PROMPT], "v"))) {
    assert(speedBar >= 35, `${width} pixels: ${speedBar} %`);
  }
});
