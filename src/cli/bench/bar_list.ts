/** Horizontal bars, each with its name before and its value behind: a list that stays readable at any width. */
import { escapeHtml } from "./html.ts";

/** One bar. */
export interface Bar {
  readonly name: string;
  /** Part of the whole width, from 0 to 1. */
  readonly share: number;
  /** What stands behind the bar. */
  readonly value: string;
  /** More words, below the name. */
  readonly detail?: string;
  /** Which of the page's colours, from 1 on. */
  readonly colour: number;
}

/** The bars as a list; `track` shows the whole width behind each. */
export function barList(bars: readonly Bar[], options: { readonly track?: boolean } = {}): string {
  const items = bars.map(({ name, share, value, detail, colour }) => {
    const width = (Math.min(1, Math.max(0, share)) * 100).toFixed(2);
    const small = detail === undefined ? "" : `<small>${escapeHtml(detail)}</small>`;
    return `<li><span class="name">${escapeHtml(name)}${small}</span>` +
      `<span class="bar"><i class="s${colour}" style="width:${width}%"></i></span>` +
      `<span class="number">${escapeHtml(value)}</span></li>`;
  });
  return `<ul class="bars${options.track ? " track" : ""}">\n${items.join("\n")}\n</ul>`;
}
