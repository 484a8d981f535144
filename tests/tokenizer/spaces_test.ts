/** Spaces and bytes in SentencePiece models: the leading space, unknown characters, line breaks. */
import { createTokenizer, type Tokenizer } from "../../src/tokenizer/mod.ts";
import { assertEquals } from "../support/assert.ts";
import { byteTokens, metadataOf, type PlainValue } from "./fixture.ts";

const TEXTS = ["<unk>", "<s>", "</s>", ...byteTokens(), "▁", "H", "i", "▁H", ":", "▁▁", "<mark>"];
const UNKNOWN = 0, BOS = 1;
const id = (text: string) => TEXTS.indexOf(text);

function llama(more: Record<string, PlainValue> = {}): Tokenizer {
  const types = TEXTS.map((text) =>
    text === "<mark>" ? 4 : /^<0x/.test(text) ? 6 : text === "<unk>" ? 2 : /^</.test(text) ? 3 : 1
  );
  const scores = TEXTS.map((text) => text.length > 1 ? -0.5 : -1.5);
  return createTokenizer(
    metadataOf({
      model: "llama",
      tokens: TEXTS,
      token_type: types,
      scores,
      bos_token_id: BOS,
      unknown_token_id: UNKNOWN,
      ...more,
    }),
  );
}

Deno.test("encode() gives text a leading space unless add_space_prefix is false", () => {
  assertEquals(llama().encode("Hi"), [BOS, id("▁H"), id("i")]);
  assertEquals(llama({ add_space_prefix: true }).encode("Hi"), [BOS, id("▁H"), id("i")]);
  assertEquals(llama({ add_space_prefix: false }).encode("Hi"), [BOS, id("H"), id("i")]);
});

for (const prefix of [true, false]) {
  for (const text of ["Hi:Hi", " Hi", "  Hi ", "", " ", "Hi\nH", "<mark>Hi", "H<mark> i", "日本 😀 €"]) {
    Deno.test(`decode() gives ${JSON.stringify(text)} back where add_space_prefix is ${prefix}`, () => {
      const tokenizer = llama({ add_space_prefix: prefix });
      assertEquals(tokenizer.decode(tokenizer.encode(text)), text);
    });
  }
}

Deno.test("decode() gives text behind control tokens back without the spaces that encoding adds there", () => {
  const tokenizer = llama();
  const ids = tokenizer.encode("Hi</s>Hi", { parseSpecial: true });
  assertEquals(ids, [BOS, id("▁H"), id("i"), id("</s>"), id("▁H"), id("i")]);
  assertEquals(tokenizer.decode(ids), "HiHi");
});

Deno.test("encode() writes unknown characters and line breaks as byte tokens, which never show", () => {
  const tokenizer = llama({ add_space_prefix: false });
  const ids = tokenizer.encode("€\n", { addSpecial: false });
  assertEquals(ids.map((i) => TEXTS[i]), ["<0xE2>", "<0x82>", "<0xAC>", "<0x0A>"]);
  assertEquals(tokenizer.decode(ids), "€\n");
});

Deno.test("encode() keeps the text <0x0A> apart from the byte token of that name", () => {
  const tokenizer = llama({ add_space_prefix: false });
  assertEquals(tokenizer.decode(tokenizer.encode("<0x0A>")), "<0x0A>");
});

Deno.test("encode() uses the unknown token where there are no byte tokens", () => {
  const tokens = ["<unk>", "▁a", "▁", "a"];
  const tokenizer = createTokenizer(
    metadataOf({
      model: "llama",
      tokens,
      token_type: [2, 1, 1, 1],
      scores: [0.5, -0.5, -1.5, -1.5],
      unknown_token_id: 0,
      add_bos_token: false,
    }),
  );
  assertEquals(tokenizer.encode("a€"), [1, 0]);
});
