/** Text for HTML: escaping and numbers as people read them. */

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** `text` as the content of an element or an attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]);
}

/** `12,345.6`: at least three significant digits, thousands grouped. */
export function readable(value: number): string {
  const digits = value === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toLocaleString("en-US", { maximumFractionDigits: Math.min(digits, 6) });
}

/** `37.2 %` */
export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
