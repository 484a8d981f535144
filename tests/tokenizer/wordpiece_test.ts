/** WordPiece against Hugging Face's `tokenizers`: data/wordpiece.json has a small vocabulary and its ids. */
import { createTokenizer } from "../../src/tokenizer/mod.ts";
import { assertEquals } from "../support/assert.ts";
import data from "./data/wordpiece.json" with { type: "json" };
import { metadataOf, type PlainValue } from "./fixture.ts";

const VOCABULARY: Record<string, PlainValue> = {
  model: "bert",
  tokens: data.tokens,
  token_type: data.tokens.map((text) => text === "[UNK]" ? 2 : text.startsWith("[") ? 3 : 1),
  cls_token_id: 2,
  seperator_token_id: 3,
  unknown_token_id: 1,
};
const uncased = createTokenizer(metadataOf(VOCABULARY));
const cased = createTokenizer(metadataOf({ ...VOCABULARY, "normalizer.lowercase": false }));

data.texts.forEach((text, i) => {
  const shown = JSON.stringify(text.length > 40 ? `${text.length} × ${text[0]}` : text);
  Deno.test(`encode() of uncased BERT gives [CLS], the original's pieces and [SEP] for ${shown}`, () => {
    assertEquals(uncased.encode(text), data.uncased[i]);
  });
  Deno.test(`encode() of cased BERT keeps case and accents for ${shown}`, () => {
    assertEquals(cased.encode(text), data.cased[i]);
  });
});

Deno.test("encode() of BERT leaves [CLS] and [SEP] out when asked", () => {
  assertEquals(uncased.encode("hello", { addSpecial: false }), [data.tokens.indexOf("▁hello")]);
});

Deno.test("decode() of BERT joins pieces into words", () => {
  assertEquals(uncased.decode(uncased.encode("unaffable cafe")), "unaffable cafe");
});
