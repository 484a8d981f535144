/** The RWKV tokenizer: the longest token at every byte, from a vocabulary of escaped byte strings. */
import { createTokenizer } from "../../src/tokenizer/mod.ts";
import { assertEquals, assertFails } from "../support/assert.ts";
import { metadataOf } from "./fixture.ts";

const BYTES = Array.from({ length: 256 }, (_, byte) => `\\x${byte.toString(16).padStart(2, "0")}`);
const TOKENS = ["<s>", ...BYTES, "ab", "abcd", "\\n\\n", "\\t", "\\\\", "\\xe2\\x82", "q'\\x00"];
const TYPES = TOKENS.map((_, id) => id === 0 ? 3 : 1);
const tokenizer = createTokenizer(metadataOf({ model: "rwkv", tokens: TOKENS, token_type: TYPES }));
const texts = (text: string) => tokenizer.encode(text).map((id) => TOKENS[id]);

Deno.test("encode() of RWKV takes the longest token, and goes back to a shorter one where the longer breaks off", () => {
  assertEquals(texts("abcd"), ["abcd"]);
  assertEquals(texts("abce"), ["ab", "\\x63", "\\x65"]);
});

Deno.test("encode() of RWKV understands the escapes of its vocabulary", () => {
  assertEquals(texts("\n\n\t\\q'\0"), ["\\n\\n", "\\t", "\\\\", "q'\\x00"]);
});

Deno.test("encode() of RWKV may end a token inside a character", () => {
  assertEquals(texts("€"), ["\\xe2\\x82", "\\xac"]);
  assertEquals(tokenizer.decode(tokenizer.encode("€ 日本")), "€ 日本");
});

Deno.test("encode() of RWKV never makes the end of text out of the text <s>", () => {
  assertEquals(texts("<s>"), ["\\x3c", "\\x73", "\\x3e"]);
});

Deno.test("createTokenizer() refuses an RWKV vocabulary that lacks a byte", async () => {
  const tokens = TOKENS.filter((text) => text !== "\\x41");
  await assertFails(
    () => createTokenizer(metadataOf({ model: "rwkv", tokens })),
    "no token stands for byte 65",
  );
});
