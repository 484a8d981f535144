/** The highest logits of a row. */

/** The `count` highest logits as `[id, logit]`, highest first; of equal ones the lower id first. */
export function topLogits(logits: Float32Array, count: number): [number, number][] {
  const ids = Array.from(logits, (_, id) => id);
  ids.sort((a, b) => logits[b] - logits[a] || a - b);
  return ids.slice(0, count).map((id) => [id, logits[id]]);
}
