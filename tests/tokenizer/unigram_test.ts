/** The Unigram model of T5: the best path, unknown characters, damaged normalization rules. */
import { createTokenizer } from "../../src/tokenizer/mod.ts";
import { assertEquals, assertFails } from "../support/assert.ts";
import { metadataOf, type PlainValue } from "./fixture.ts";

const PIECES: [string, number][] = [
  ["<pad>", 0.5],
  ["</s>", 0.5],
  ["<unk>", 0.5],
  ["▁", -3.5],
  ["a", -2.5],
  ["b", -2.5],
  ["ab", -4.5],
  ["▁a", -4.25],
  ["ba", -1.5],
];

function t5(more: Record<string, PlainValue> = {}) {
  return createTokenizer(metadataOf({
    model: "t5",
    tokens: PIECES.map(([text]) => text),
    scores: PIECES.map(([, score]) => score),
    token_type: PIECES.map((_, id) => id === 2 ? 2 : id < 2 ? 3 : 1),
    ...more,
  }));
}
const pieces = (text: string) => t5().encode(text, { addSpecial: false }).map((id) => PIECES[id][0]);

Deno.test("encode() of T5 takes the path with the highest sum of scores, not the longest pieces", () => {
  // ▁a b (-6.75) beats ▁ ab (-8).
  assertEquals(pieces("ab"), ["▁a", "b"]);
  // ▁a ba (-5.75) beats ▁ ab a (-10.5) and ▁a b a (-9.25).
  assertEquals(pieces("aba"), ["▁a", "ba"]);
});

Deno.test("encode() of T5 makes one unknown token of neighbouring unknown characters", () => {
  assertEquals(pieces("a日本b"), ["▁a", "<unk>", "b"]);
});

Deno.test("encode() of T5 ends with EOS and has no BOS", () => {
  assertEquals(t5().encode("a"), [7, 1]);
});

for (
  const [what, blob] of [
    ["too short", [1, 0, 0]],
    ["with a trie longer than itself", [16, 0, 0, 0, 1, 2, 3, 4]],
    ["with a trie of broken units", [3, 0, 0, 0, 1, 2, 3, 0]],
  ] as const
) {
  Deno.test(`createTokenizer() refuses a character map ${what}`, async () => {
    await assertFails(
      () => t5({ precompiled_charsmap: Uint8Array.from(blob) }),
      '"tokenizer.ggml.precompiled_charsmap" is damaged',
    );
  });
}

Deno.test("encode() refuses a character map that points outside itself", async () => {
  const tokenizer = t5({ precompiled_charsmap: Uint8Array.from([4, 0, 0, 0, 0xff, 0xff, 0xff, 0x7f, 0]) });
  await assertFails(() => tokenizer.encode("a"), "is damaged");
});
