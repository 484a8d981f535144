/** Random Unicode text for property tests: every plane, many scripts, odd spaces, runs of the same kind. */

/** Numbers in [0, 1) from a seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const RANGES = [
  [0x20, 0x7e],
  [0x09, 0x0d],
  [0x00, 0x1f],
  [0x30, 0x39],
  [0x80, 0xff],
  [0x300, 0x36f],
  [0x370, 0x5ff],
  [0x660, 0x669],
  [0x900, 0xe7f],
  [0x2000, 0x206f],
  [0x3000, 0x30ff],
  [0x4e00, 0x9fff],
  [0xac00, 0xd7a3],
  [0xe000, 0xe010],
  [0xfe00, 0xfeff],
  [0x1f300, 0x1f6ff],
  [0x20000, 0x10ffff],
];

/** A text of up to some forty characters. */
export function randomText(random: () => number): string {
  let text = "";
  for (let runs = 1 + random() * 8; runs > 0; runs--) {
    const [first, last] = RANGES[Math.floor(random() * RANGES.length)];
    for (let length = 1 + random() * 5; length > 0; length--) {
      text += String.fromCodePoint(first + Math.floor(random() * (last - first + 1)));
    }
  }
  return text;
}
