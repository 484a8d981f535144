/** Byte-pair encoding: which merge comes first, what is a word, what happens without a token. */
import { mergeSymbols } from "../../src/tokenizer/merges.ts";
import { createTokenizer } from "../../src/tokenizer/mod.ts";
import { assert, assertEquals, assertFails } from "../support/assert.ts";
import { bytePairMetadata, byteTokens, metadataOf } from "./fixture.ts";

/** The pieces that `text` is cut into. */
function pieces(tokenizer: ReturnType<typeof createTokenizer>, text: string): string[] {
  return tokenizer.encode(text, { addSpecial: false }).map((id) => tokenizer.piece(id));
}

Deno.test("encode() applies merges in the order of the list, not from left to right", () => {
  const abFirst = createTokenizer(bytePairMetadata(["a b", "b c", "ab c"]));
  const bcFirst = createTokenizer(bytePairMetadata(["b c", "a b", "a bc"]));
  assertEquals(pieces(abFirst, "abcbc"), ["abc", "bc"]);
  assertEquals(pieces(bcFirst, "abab"), ["ab", "ab"]);
  assertEquals(pieces(createTokenizer(bytePairMetadata(["b c", "a b"])), "abc"), ["a", "bc"]);
});

Deno.test("encode() merges the leftmost of equal pairs first", () => {
  assertEquals(pieces(createTokenizer(bytePairMetadata(["a a"])), "aaa"), ["aa", "a"]);
});

Deno.test("encode() does not merge across words", () => {
  assertEquals(pieces(createTokenizer(bytePairMetadata(["a Ġ", "Ġ b"])), "a b"), ["a", " b"]);
});

Deno.test("encode() takes a word that is a token whole where the model ignores merges, and merges it elsewhere", () => {
  const tokens = (pre: string) => createTokenizer(bytePairMetadata(["a b"], [["abc", 1]], { pre }));
  assertEquals(pieces(tokens("llama-bpe"), "abc"), ["abc"]);
  assertEquals(pieces(tokens("qwen2"), "abc"), ["ab", "c"]);
});

Deno.test("encode() writes characters without a token as their bytes", () => {
  const tokenizer = createTokenizer(bytePairMetadata([]));
  const bytes = tokenizer.encode("€").map((id) => tokenizer.tokenBytes(id)[0]);
  assertEquals(bytes, [0xe2, 0x82, 0xac]);
});

Deno.test("encode() splits a merged symbol that is no token into its characters again", () => {
  const metadata = metadataOf({ model: "gpt2", pre: "gpt-2", tokens: ["a", "b", "c"], merges: ["a b"] });
  const tokenizer = createTokenizer(metadata);
  assertEquals(tokenizer.encode("abc"), [0, 1, 2]);
});

Deno.test("encode() of Gemma 4 merges characters, marks spaces, and falls back to byte tokens", () => {
  const tokens = [...byteTokens(), "▁", "a", "b", "▁a", "\n\n"];
  const tokenizer = createTokenizer(metadataOf({
    model: "gemma4",
    tokens,
    token_type: tokens.map((_, id) => id < 256 ? 6 : 1),
    merges: ["▁ a"],
  }));
  assertEquals(pieces(tokenizer, "b a\n\n\n€"), ["b", " a", "\n", "\n", "\n", "\ufffd", "\ufffd", "\ufffd"]);
  assertEquals(pieces(tokenizer, "a\n\na"), ["a", "\n\n", "a"]);
  assertEquals(tokenizer.decode(tokenizer.encode("b a\n\n\n€")), "b a\n\n\n€");
});

Deno.test("mergeSymbols() looks at every pair a bounded number of times", () => {
  const count = 200_000;
  let lookups = 0;
  // Powers of two: equal neighbours merge, so that a run of ones becomes one symbol in log2(count) rounds.
  const rule = {
    find: (left: number, right: number) => {
      lookups++;
      return left === right ? left : -1;
    },
    rank: (merge: number) => merge,
    result: (merge: number) => merge * 2,
  };
  assertEquals(mergeSymbols(new Int32Array(count).fill(1), rule), [131072, 65536, 2048, 1024, 256, 64]);
  assert(lookups < 4 * count, `${lookups} lookups`);
});

Deno.test("encode() copes with a word of 200,000 characters", () => {
  const tokenizer = createTokenizer(bytePairMetadata(["a a", "aa aa"]));
  assertEquals(tokenizer.encode("a".repeat(200_000)).length, 50_000);
});

Deno.test("createTokenizer() warns of an unknown or missing pre-tokenizer and cuts by the generic rule", () => {
  const warnings = (pre: string) => createTokenizer(bytePairMetadata([], [], { pre })).warnings;
  assertEquals(warnings("gpt-2"), []);
  assert(warnings("from-the-future")[0].includes('unknown pre-tokenizer "from-the-future"'));
  assert(warnings("")[0].includes("does not name its pre-tokenizer"));
});

Deno.test("createTokenizer() refuses a merge that is not two symbols", async () => {
  const metadata = metadataOf({ model: "gpt2", tokens: ["a", "b"], merges: ["ab"] });
  await assertFails(
    () => createTokenizer(metadata),
    'merge 0 is "ab", not two symbols with a space between them',
  );
});
