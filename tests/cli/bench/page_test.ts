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

Deno.test({
  name: `benchPage() is laid out by a browser as written${hasBrowser ? "" : ` (needs ${BROWSER})`}`,
  ignore: !hasBrowser,
  async fn() {
    using folder = new TempDirectory();
    // The page measures itself and leaves the result in its title.
    const measuring = `<script>onload = () => {
      const bar = document.querySelector(".track i").getBoundingClientRect().width;
      const track = document.querySelector(".track .bar").getBoundingClientRect().width;
      const wide = document.documentElement.scrollWidth > innerWidth;
      document.title = [Math.round(bar / track * 100), document.querySelectorAll("circle").length, wide].join();
    }</script>`;
    const page = benchPage([GENERATION, AT_ZERO], "v").replace("</head>", `${measuring}</head>`);
    for (const width of [1200, 500]) {
      const path = folder.join("page.html");
      Deno.writeTextFileSync(path, page);
      const { stdout } = await new Deno.Command(BROWSER, {
        args: [
          ...BROWSER_FLAGS,
          `--user-data-dir=${folder.join(`profile${width}`)}`,
          `--window-size=${width},900`,
          "--dump-dom",
          `file://${path}`,
        ],
        stderr: "null",
      }).output();
      const title = /<title>(.*?)<\/title>/.exec(new TextDecoder().decode(stdout))?.[1];
      assertEquals(title, "40,2,false", `${width} pixels: share of the limit, points, wider than the window`);
    }
  },
});
