/** The style of the benchmark page: one set of variables for light and one for dark surroundings. */

/** Content of the page's `style` element. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --text: #1b1f24; --soft: #5b6673; --line: #dfe3e8; --track: #e9ecf0;
  --c1: #2f6fde; --c2: #c2610c; --c3: #1a8f5a; --c4: #8250df; --c5: #cf222e; --c6: #0b7285; --c7: #9a6700; --c8: #bf3989;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0f1216; --card: #171b21; --text: #e6e9ee; --soft: #98a3b0; --line: #2b323b; --track: #242a32;
    --c1: #6ea0ff; --c2: #ffa657; --c3: #56d39b; --c4: #bc8cff; --c5: #ff7b72; --c6: #39c5cf; --c7: #e3b341; --c8: #ff9bce;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 1180px; margin: 0 auto; padding: 32px 20px 64px; }
header h1 { margin: 0; font-size: 26px; letter-spacing: -0.01em; }
header p { margin: 4px 0 0; color: var(--soft); }
section { margin-top: 24px; padding: 20px 24px 24px; background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
h2 { margin: 0; font-size: 17px; }
h3 { margin: 20px 0 4px; font-size: 14px; }
section > p { margin: 2px 0 14px; color: var(--soft); font-size: 13.5px; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr)); gap: 24px; }
.pair > section { margin-top: 0; }
.pair { margin-top: 24px; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 0 0 8px; padding: 0; list-style: none; font-size: 13px; }
.legend i { display: inline-block; width: 10px; height: 10px; margin-right: 7px; border-radius: 3px; background: currentColor; }
.legend span { color: var(--text); }
svg { display: block; width: 100%; height: auto; font: 13px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
svg .grid { stroke: var(--line); }
svg .axis { fill: var(--soft); }
svg .value { fill: var(--text); font-weight: 600; }
svg .line { fill: none; stroke: currentColor; stroke-width: 2.5; stroke-linejoin: round; }
svg .whisker { fill: none; stroke: currentColor; stroke-width: 1.5; opacity: 0.7; }
svg circle { fill: currentColor; stroke: var(--card); stroke-width: 1.5; }
.chart { overflow-x: auto; }
.s1 { color: var(--c1); } .s2 { color: var(--c2); } .s3 { color: var(--c3); } .s4 { color: var(--c4); }
.s5 { color: var(--c5); } .s6 { color: var(--c6); } .s7 { color: var(--c7); } .s8 { color: var(--c8); }
.bars { margin: 0; padding: 0; list-style: none; }
.bars li {
  display: grid; gap: 14px; align-items: center; padding: 5px 0;
  grid-template-columns: minmax(110px, 340px) minmax(60px, 1fr) 140px;
}
.bars .name { overflow-wrap: anywhere; font-size: 13.5px; line-height: 1.3; }
.bars small { display: block; color: var(--soft); font-size: 12px; }
.pair .bars li { grid-template-columns: minmax(90px, 150px) minmax(60px, 1fr) auto; }
.profiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 460px), 1fr)); gap: 8px 40px; }
.profiles .bars li { grid-template-columns: minmax(110px, 190px) minmax(40px, 1fr) 120px; padding: 3px 0; }
.profiles .bars small { display: inline; margin-left: 7px; }
.bars .bar { height: 14px; border-radius: 4px; }
.bars.track .bar { background: var(--track); }
.bars i { display: block; height: 100%; min-width: 2px; border-radius: 4px; background: currentColor; }
.bars .number { text-align: right; font-variant-numeric: tabular-nums; font-size: 13.5px; white-space: nowrap; }
.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { padding: 6px 8px; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th { color: var(--soft); font-weight: 600; }
th:first-child, td:first-child, th:nth-child(2), td:nth-child(2) { text-align: left; }
tr:last-child td { border-bottom: 0; }
footer { margin-top: 24px; color: var(--soft); font-size: 13px; }
@media (max-width: 560px) {
  section { padding: 16px; }
  .chart svg { font-size: 20px; }
  .chart.wide svg { min-width: 520px; font-size: 14px; }
  .bars li, .pair .bars li, .profiles .bars li { grid-template-columns: 1fr auto; gap: 3px 12px; }
  .bars .bar { grid-row: 2; grid-column: 1 / 3; }
}
`;
