/** JSON for people and scripts: the one place that knows how 64-bit integers are written. */

/**
 * Serializes `value` as JSON. A bigint becomes a number where a double holds it exactly and a string otherwise, so
 * that no reader rounds it silently.
 */
export function toJson(value: unknown, space?: number): string {
  return JSON.stringify(value, (_key, item) => typeof item === "bigint" ? jsonInteger(item) : item, space);
}

function jsonInteger(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}
