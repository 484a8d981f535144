/** How text is cut into words before byte-pair encoding: what differs between families, and that nothing is lost. */
import { preTokenizer, preTokenizerNames, splitWords } from "../../src/tokenizer/pre_tokenizers.ts";
import { createTokenizer } from "../../src/tokenizer/mod.ts";
import { assert, assertEquals } from "../support/assert.ts";
import { bytePairMetadata } from "./fixture.ts";
import { randomText, seeded } from "./random_text.ts";

const split = (name: string, text: string) => splitWords(text, preTokenizer(name)!.expressions);
const MIXED = "Hello world!  I'm 1234\r\n\n  x->y";

Deno.test("splitWords() of qwen2 isolates every digit and takes line breaks together", () => {
  const words = [
    "Hello",
    " world",
    "!",
    " ",
    " I",
    "'m",
    " ",
    "1",
    "2",
    "3",
    "4",
    "\r\n\n",
    " ",
    " x",
    "->",
    "y",
  ];
  assertEquals(split("qwen2", MIXED), words);
});

Deno.test("splitWords() of llama-bpe takes up to three digits together", () => {
  const words = ["Hello", " world", "!", " ", " I", "'m", " ", "123", "4", "\r\n\n", " ", " x", "->", "y"];
  assertEquals(split("llama-bpe", MIXED), words);
});

Deno.test("splitWords() of gpt-2 leaves numbers whole, of smollm it isolates digits first", () => {
  assertEquals(split("gpt-2", "in 1234 days"), ["in", " 1234", " days"]);
  assertEquals(split("smollm", "in 1234 days"), ["in", " ", "1", "2", "3", "4", " days"]);
});

Deno.test("splitWords() of qwen35 keeps combining marks with their letters, qwen2 does not", () => {
  assertEquals(split("qwen2", "cafe\u0301s"), ["cafe", "\u0301s"]);
  assertEquals(split("qwen35", "cafe\u0301s"), ["cafe\u0301s"]);
  assertEquals(split("qwen2", "नमस्ते").length, 3);
  assertEquals(split("qwen35", "नमस्ते"), ["नमस्ते"]);
});

Deno.test("splitWords() of gpt-4o cuts where lower case turns to upper case", () => {
  assertEquals(split("gpt-4o", "camelCase HTTPServer don't"), ["camel", "Case", " HTTPServer", " don't"]);
});

Deno.test("splitWords() of deepseek-v3 isolates ideographs from Latin letters", () => {
  assertEquals(split("deepseek-v3", "漢字abc 1234"), ["漢字", "abc", " ", "123", "4"]);
});

Deno.test("splitWords() of afmoe counts digits in threes from the right", () => {
  assertEquals(split("afmoe", "1234567"), ["1", "234", "567"]);
});

Deno.test("splitWords() takes no U+017F for the s of a contraction", () => {
  assertEquals(split("qwen2", "it'ſ"), ["it", "'ſ"]);
  assertEquals(split("qwen2", "it'S"), ["it", "'S"]);
  assertEquals(split("gpt-4o", "it'ſ"), ["it", "'ſ"]);
});

Deno.test("splitWords() takes U+0085 for white space and U+FEFF for none, unlike JavaScript's \\s", () => {
  assertEquals(split("gpt-2", "a\u0085\u0085b"), ["a", "\u0085", "\u0085", "b"]);
  assertEquals(split("gpt-2", "a \ufeffb"), ["a", " \ufeff", "b"]);
});

Deno.test("splitWords() covers the text: the words of every pre-tokenizer joined are the text", () => {
  const random = seeded(53);
  const texts = Array.from({ length: 150 }, () => randomText(random));
  for (const name of preTokenizerNames()) {
    const { expressions } = preTokenizer(name)!;
    for (const text of texts) {
      const words = splitWords(text, expressions);
      assertEquals(words.join(""), text, name);
      assert(words.every((word) => word !== ""), name);
    }
  }
});

Deno.test("decode() of byte-level BPE gives 10,000 random texts back", () => {
  const random = seeded(51);
  const tokenizer = createTokenizer(bytePairMetadata(["Ġ Ġ", "t h", "Ġ th", "Ã ©"]));
  for (let i = 0; i < 10_000; i++) {
    const text = randomText(random);
    assertEquals(tokenizer.decode(tokenizer.encode(text)), text);
  }
});
